// Follow: reads logs as they grow, until SIGINT or SIGTERM, or until standard input ends when it is the only one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ncclwhy/analyzer.h"

namespace ncclwhy {

// How logs are followed.
struct FollowOptions {
  AnalyzerOptions analyzer;       // without a database
  std::vector<std::string> logs;  // files, directories, globs, "-"; what does not exist yet is waited for
  // One line, ended: the first cause as soon as it is sure enough, and whenever it changes. False: nobody reads it.
  std::function<bool(const std::string&)> tell;
  // Called in the thread of Follow.
};

// Blocks until it is over; signals are read by a descriptor meanwhile.
// The report on everything that was read.
Result<Report> Follow(const FollowOptions& options);

}  // namespace ncclwhy

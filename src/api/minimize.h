// Minimize: the shortest log that still has the answer of a longer one, for bug reports and for near misses of rules.
//
// Lines are left out, first far from what the report names, then by halves, as long as the verdict, the first cause,
// whom it blames and, within ten points, its confidence stay what they were. Every try is an analysis of its own, so
// this is for logs that are read in a second.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ncclwhy/analyzer.h"

namespace ncclwhy {

// A log: its name, and its lines without their ends.
struct LogLines {
  std::string name;
  std::vector<std::string> lines;
};

LogLines SplitLog(std::string name, std::string_view text);

struct MinimizeOptions {
  AnalyzerOptions analyzer;
  bool redact = true;  // aliases for hosts, addresses, users, paths and tokens
  int tries = 1500;    // analyses at most
};

struct MinimizedLog {
  std::vector<LogLines> logs;  // one where the answer does not need several
  size_t lines = 0;            // in them
  size_t lines_before = 0;
  Report report;  // of them
};

// Fails when the redacted log has another answer, or a knowledge or rule directory cannot be used.
Result<MinimizedLog> Minimize(const std::vector<LogLines>& logs, const MinimizeOptions& options);

}  // namespace ncclwhy

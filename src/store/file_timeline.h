// A timeline that is a file: made anew with each report, as a whole or not at all.
#pragma once

#include <memory>
#include <string>

#include "store/store.h"

namespace ncclwhy {

// Answers from `memory`, as if there were no file, and writes the file with the report: neither a full disk nor whoever
// else has the file changes an answer. One report for each Load; another is refused. `path` was checked
// (CheckReplaceable). For one thread at a time, as Timeline says.
std::unique_ptr<Timeline> NewFileTimeline(std::unique_ptr<Timeline> memory, std::string path);

}  // namespace ncclwhy

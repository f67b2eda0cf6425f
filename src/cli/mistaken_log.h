// MistakenLog: what was named as a log by mistake.
#pragma once

#include <string>
#include <vector>

namespace ncclwhy {

// One sentence with what was meant: a command that stands behind options, a timeline or another database. Empty when
// `log` may be a log. Only for what was named itself: beside the logs of a directory, a timeline is just another file.
std::string MistakenLog(const std::string& log);

// One sentence when none of `logs` is there, with the command that was probably meant; else empty. A glob may be.
std::string NothingThere(const std::vector<std::string>& logs);

}  // namespace ncclwhy

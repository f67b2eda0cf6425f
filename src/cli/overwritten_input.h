// An output that is one of the inputs: `ncclwhy digest rank0.log -o rank0.log` would leave no log.
#pragma once

#include <string>
#include <vector>

namespace ncclwhy {

// A sentence when the file `output` is there and is one of `logs` (files, folders, globs, "-"), by whatever name:
// itself, a link to it, another hard link, a file in a folder. Empty: nothing is lost when it is replaced. Asked before
// anything is written.
std::string OverwrittenInput(const std::string& output, const std::vector<std::string>& logs);

// The same of a report: one of this program may be replaced, in a folder that is read, too.
std::string OverwrittenByReport(const std::string& output, const std::vector<std::string>& logs);

}  // namespace ncclwhy

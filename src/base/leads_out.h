// Links that lead out of a folder: whoever packed or owns the folder chose where to, not who named it.
#pragma once

#include <filesystem>
#include <string>

namespace ncclwhy {

// Whether `file` is `folder` or below it, by whole names: /a/bc is not below /a/b. Both without links in them: of
// fs::canonical.
// Asks the disk nothing, and does not throw but for memory.
bool IsBelow(const std::filesystem::path& file, const std::filesystem::path& folder);

// Also when it leads nowhere, or the folder cannot be read: what is not known to be inside is not read.
//    logs/rank0.log -> /etc/shadow     true: an archive or a folder of somebody else may hold such a link
// Asks the disk each time: what a link means may change between two calls.
bool LeadsOut(const std::filesystem::path& link, const std::string& folder);

}  // namespace ncclwhy

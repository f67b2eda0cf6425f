// Output: standard output and files, without half-written ones.
#pragma once

#include <string>
#include <string_view>

#include "ncclwhy/status.h"

namespace ncclwhy {

// What became of bytes for standard output. A reader that went away (`| head`) is no error.
enum class Written { kAll, kReaderGone, kFailed };
Written WriteStandardOutput(std::string_view bytes);

// Replaces `path` in one step: readers see the old file or the new one. A symbolic link is followed, an existing file
// keeps its mode; devices and pipes are written to as they are.
Status WriteFile(const std::string& path, std::string_view bytes);

// Never fails: standard error may be closed.
// One sentence to standard error: "ncclwhy: …".
void Complain(std::string_view sentence);

}  // namespace ncclwhy

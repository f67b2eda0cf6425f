// Compressed files and archives, through libarchive. Told by content, never by name; nothing is written to disk.
#pragma once

#include <string>
#include <string_view>

#include "ncclwhy/status.h"
#include "read/read_file.h"
#include "read/source.h"

namespace ncclwhy {

// True when the first bytes are those of gzip, xz, zstd, bzip2, zip or tar.
// `train.log.gz` that somebody unpacked and did not rename is a plain log, and `train.log` may be packed.
bool LooksPacked(std::string_view first);

// The name of a packer whose files begin like `first` and are not read; empty: none.
// So that the answer is "unpack it first", not a report on the noise in it.
std::string_view UnreadablePacker(std::string_view first);

// Expands what `reader` yields (`first` was read already). A compressed single file keeps `name`; members of an archive
// become `name/member`; members that are packed themselves are expanded, too. Limits: base/limits.h, kArchive*.
// What can be read in front of a damaged place has been pushed. kLimit: a bomb, too many members, too many levels. kIo:
// damage, told by the first damaged member. Of links, devices and folders in an archive nothing is read.
Status ReadPacked(FileReader& reader, std::string_view first, const std::string& name, ByteSink& sink);

}  // namespace ncclwhy

// Places in the parts of rotated logs: line 5,000 of the whole is line 1,200 of train.log.1.
#pragma once

#include <vector>

#include "ncclwhy/report.h"
#include "read/source_digest.h"

namespace ncclwhy {

// A place in no part stays as it is, and so does one of line 0, which is not known.
// Names the file of each place of the report, and counts its lines from there.
void NameParts(const std::vector<SourceDigest>& digests, Report* report);

}  // namespace ncclwhy

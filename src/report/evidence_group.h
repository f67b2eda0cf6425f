// Lines of evidence that tell the same story from several ranks, so that a report prints the story once:
//
//   rank56.log:26 (direct)
//   | Error: failed to extend /dev/shm/nccl-0PIJkQ to 9637892 bytes, error: No space left on device (28)
//   = the tmpfs on /dev/shm is full or too small for 9637892 bytes
//   also rank57.log:26, rank58.log:26
#pragma once

#include <cstddef>
#include <vector>

#include "ncclwhy/report.h"

namespace ncclwhy {

// Indices into a cause's evidence; the first is the one to print.
using EvidenceGroup = std::vector<size_t>;

// In order of their first lines; every index is in one group. Two lines belong together when the same rule says the
// same of them and most of their words are the same.
std::vector<EvidenceGroup> GroupEvidence(const std::vector<Evidence>& evidence);

}  // namespace ncclwhy

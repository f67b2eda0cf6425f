// A log of lines of text: what NCCL and everything around it print. The witness of every source that no other knows.
#pragma once

#include <memory>

#include "read/witness.h"

namespace ncclwhy {

// Reads in segments, as SegmentedRead does, so both yield the same digest. A short text (limits::kPastedBytes) is kept,
// and read again as it may have been before somebody copied it.
std::unique_ptr<Witness> NewTextLog(const WitnessContext& context);

}  // namespace ncclwhy

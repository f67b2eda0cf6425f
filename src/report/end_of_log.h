// The end of the output, which often says in what a job stands whose end nobody saw.
//   [Rank 2] rank 2: writing checkpoint shard to /mnt/lustre/ckpt/step_000019
#pragma once

#include <cstdint>
#include <vector>

#include "report/proof.h"

namespace ncclwhy {

// What somebody quotes by hand has no end to speak of.
inline constexpr uint64_t kQuoteLines = 30;

// The last words, or the last line of the ranks that write into one file; empty where neither tells anything.
std::vector<Proof> EndOfLog(const Report& report);

}  // namespace ncclwhy

// ExpansionBudget: how much a compressed file may become, against bombs. See base/limits.h, kArchive*.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/limits.h"

namespace ncclwhy {

// For one input file, over all layers and members. Not thread-safe.
class ExpansionBudget {
 public:
  // `bytes` more, after `packed` bytes of input were read. False: that is too much.
  // What was spent too much stays spent: once false, always false.
  bool Spend(uint64_t bytes, uint64_t packed) {
    used_ += bytes;
    return used_ <= limits::kArchiveBytes &&
           (used_ <= limits::kArchiveRatioFloor || used_ / std::max<uint64_t>(packed, 1) <= limits::kArchiveRatio);
  }

 private:
  uint64_t used_ = 0;
};

}  // namespace ncclwhy

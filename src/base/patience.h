// Patience: where nothing that was seen before comes again, a memo is asked about one in eight only, until something
// does.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ncclwhy {

// Only the speed depends on it: who is not asked works as if nothing were known. Not thread-safe.
//    if (patience.Asks()) { entry = memo.Find(text); patience.Tell(entry != nullptr); }
class Patience {
 public:
  Patience() = default;
  // Where asking costs much: what is known makes up for so many misses, and not for all.
  explicit Patience(uint32_t makes_up_for) : makes_up_for_(makes_up_for) {}

  // Whether the memo should be asked about this text; counts.
  bool Asks() { return misses_ <= kMost || ++misses_ % 8 == 0; }
  // What came of it, told only where it was asked.
  void Tell(bool known) {
    if (known) misses_ = std::min(misses_, kMost);
    misses_ = known ? misses_ - std::min(misses_, makes_up_for_) : misses_ + 1;
  }

 private:
  // Misses in a row after which it is asked less: enough for a log that begins with hundreds of different lines.
  static constexpr uint32_t kMost = 256;
  uint32_t misses_ = 0;
  uint32_t makes_up_for_ = UINT32_MAX;
};

}  // namespace ncclwhy

// Patience: where nothing that was seen before comes again, a memo is asked about one in eight only, until something
// does.
#pragma once

#include <cstdint>

namespace ncclwhy {

class Patience {
 public:
  bool Asks() { return misses_ <= kMost || ++misses_ % 8 == 0; }
  void Tell(bool known) { misses_ = known ? 0 : misses_ + 1; }

 private:
  static constexpr uint32_t kMost = 256;
  uint32_t misses_ = 0;  // in a row
};

}  // namespace ncclwhy

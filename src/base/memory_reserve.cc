#include "base/memory_reserve.h"

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <new>

namespace ncclwhy {
namespace {

// Untouched pages cost nothing. Emptied as a whole when its last piece is given back.
class Reserve {
 public:
  void* Take(size_t bytes) {
    bytes = (bytes + kAlign - 1) / kAlign * kAlign;
    const std::lock_guard<std::mutex> lock(mutex_);
    if (bytes > sizeof bytes_ - used_) throw std::bad_alloc();
    void* out = bytes_ + used_;
    used_ += bytes;
    ++pieces_;
    return out;
  }
  // Without the lock: the addresses never change.
  bool Holds(const void* memory) const {
    const std::less_equal<const void*> in_order;
    return in_order(bytes_, memory) && !in_order(bytes_ + sizeof bytes_, memory);
  }
  void GiveBack() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--pieces_ == 0) used_ = 0;
  }

 private:
  static constexpr size_t kAlign = alignof(std::max_align_t);
  std::mutex mutex_;
  size_t used_ = 0;
  size_t pieces_ = 0;
  alignas(kAlign) unsigned char bytes_[2u << 20] = {};
};

// There before any constructor runs, and after the last destructor: it needs neither.
constinit Reserve reserve;

}  // namespace

void* AllocateOrReserve(size_t bytes) {
  void* memory = std::malloc(bytes == 0 ? 1 : bytes);
  return memory == nullptr ? reserve.Take(bytes) : memory;
}

void FreeOrReserve(void* memory) noexcept {
  if (reserve.Holds(memory)) {
    reserve.GiveBack();
  } else {
    std::free(memory);
  }
}

}  // namespace ncclwhy

// SharedMemory: one T that this process and its copies (fork) share. Pages that nobody touches cost nothing.
#pragma once

#include <sys/mman.h>

#include <new>
#include <type_traits>

namespace ncclwhy {

template <typename T>
// Freed when the process that made it ends it; a copy keeps its own mapping.
class SharedMemory {
 public:
  SharedMemory() {
    void* const at = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at != MAP_FAILED) value_ = new (at) T;
  }
  ~SharedMemory() {
    if (value_ != nullptr) ::munmap(value_, sizeof(T));
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // Null where there is no memory.
  T* get() const { return value_; }

 private:
  static_assert(std::is_trivially_destructible_v<T>);
  T* value_ = nullptr;
};

}  // namespace ncclwhy

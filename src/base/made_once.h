// MadeOnce: a value that the first thread which needs it makes, and that never changes then.
#pragma once

#include <atomic>
#include <memory>

namespace ncclwhy {

// What `slot` holds, or what `make()` returns as a std::unique_ptr, which the slot keeps then: its owner deletes it.
// No std::call_once: an exception that leaves it, because there is no memory, needs memory and else ends the process.
// Two threads may both make it: one of the two is kept, and the other goes. What is kept never changes, so that no lock
// is needed to read it.
template <typename T, typename Make>
const T& MadeOnce(std::atomic<const T*>& slot, const Make& make) {
  if (const T* there = slot.load(std::memory_order_acquire)) return *there;
  std::unique_ptr<const T> made = make();
  const T* expected = nullptr;
  if (!slot.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) return *expected;
  return *made.release();
}

}  // namespace ncclwhy

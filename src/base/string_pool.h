// StringPool: hosts, files, device names and message texts stored once.
//
// Owns its bytes; views stay valid until the pool is destroyed (moving the pool keeps them valid).
// Not thread-safe: one pool per thread or source.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace ncclwhy {

// Nothing is ever taken out. An id means something in its own pool only; a Copy has the same ids.
class StringPool {
 public:
  StringPool();
  StringPool(const StringPool&) = delete;
  StringPool& operator=(const StringPool&) = delete;
  StringPool(StringPool&&) noexcept = default;
  StringPool& operator=(StringPool&&) noexcept = default;

  // In which every id means the same. The texts lie in one block of their size then: where nothing is added any more,
  // nothing is wasted.
  // For a part of a source that becomes one of its own (read/digest_slice.h).
  StringPool Copy() const;
  // The id of `text`; equal texts have equal ids, numbered in the order in which they came. The empty text always has
  // id 0. Copies the bytes; never fails but for memory: limits are kept by who calls (FactsBuilder::Intern).
  StringId Intern(std::string_view text);
  // The id of `text`, or an invalid id if it was never interned.
  StringId Find(std::string_view text) const;
  // Empty for an invalid id. As long as the pool lives, also when it grows: blocks are never moved.
  std::string_view View(StringId id) const { return id.value < views_.size() ? views_[id.value] : std::string_view{}; }

  size_t size() const { return views_.size(); }
  // Of texts, without what the index and the views take.
  size_t bytes() const { return bytes_; }

 private:
  // `n` bytes in a block, a new one where the last has no room; a text is never split over two.
  char* Allocate(size_t n);
  // Where `text` is or would be.
  // The index must not be empty.
  size_t SlotOf(std::string_view text, uint32_t hash) const;
  // Doubles the index.
  void Grow();

  // The last one is being filled: block_used_ of its block_size_ bytes are taken.
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t block_used_ = 0;
  size_t block_size_ = 0;
  size_t bytes_ = 0;
  // By id, into the blocks.
  std::vector<std::string_view> views_;
  // Open addressing: a text costs no node of its own. Of the hash the upper bits are kept, so that few other texts are
  // compared and growing hashes none again.
  struct Slot {
    uint32_t hash = 0;
    uint32_t id = kFree;
  };
  static constexpr uint32_t kFree = UINT32_MAX;
  std::vector<Slot> index_;  // a power of two, at most three quarters full
};

}  // namespace ncclwhy

#include "base/string_pool.h"

#include <algorithm>
#include <cstring>

namespace ncclwhy {
namespace {
// Blocks double up to the larger size: a job of 16,384 ranks has as many pools, most of them with little in them.
constexpr size_t kFirstBlock = 1024;
constexpr size_t kLargestBlock = 64 * 1024;
constexpr size_t kFirstSlots = 64;

// Eight bytes at a time: texts are short, and there is one for every field of every event.
uint32_t Hash(std::string_view text) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15u;
  uint64_t hash = text.size() * kOdd;
  const char* p = text.data();
  size_t left = text.size();
  for (; left >= 8; p += 8, left -= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    hash = (hash ^ word) * kOdd;
    hash ^= hash >> 32;
  }
  if (left > 0) {
    uint64_t word = 0;
    std::memcpy(&word, p, left);
    hash = (hash ^ word) * kOdd;
  }
  return static_cast<uint32_t>(hash >> 32);
}

}  // namespace

StringPool::StringPool() { Intern({}); }

StringPool StringPool::Copy() const {
  StringPool out;
  out.views_.clear();
  out.views_.reserve(views_.size());
  char* p = bytes_ == 0 ? nullptr : out.Allocate(bytes_);  // the empty text needs no block
  for (const std::string_view text : views_) {
    if (!text.empty()) std::memcpy(p, text.data(), text.size());
    out.views_.emplace_back(p, text.size());
    p += text.size();
  }
  // The index holds numbers and hashes alone, which are the same in the copy.
  out.index_ = index_;
  return out;
}

char* StringPool::Allocate(size_t n) {
  if (block_size_ - block_used_ < n) {
    // What is left of the block before is lost: at most the size of one text.
    block_size_ = std::max(std::clamp(bytes_, kFirstBlock, kLargestBlock), n);
    blocks_.push_back(std::make_unique<char[]>(block_size_));
    block_used_ = 0;
  }
  char* p = blocks_.back().get() + block_used_;
  block_used_ += n;
  bytes_ += n;
  return p;
}

// There is always a free slot: the index is at most three quarters full.
size_t StringPool::SlotOf(std::string_view text, uint32_t hash) const {
  size_t at = hash & (index_.size() - 1);
  while (index_[at].id != kFree && (index_[at].hash != hash || views_[index_[at].id] != text)) {
    at = (at + 1) & (index_.size() - 1);
  }
  return at;
}

// Texts are not compared: all of them are different.
void StringPool::Grow() {
  std::vector<Slot> larger(index_.empty() ? kFirstSlots : 2 * index_.size());
  for (const Slot& slot : index_) {
    if (slot.id == kFree) continue;
    size_t at = slot.hash & (larger.size() - 1);
    while (larger[at].id != kFree) at = (at + 1) & (larger.size() - 1);
    larger[at] = slot;
  }
  index_ = std::move(larger);
}

StringId StringPool::Intern(std::string_view text) {
  const uint32_t hash = Hash(text);
  // One more than are there now, so the index exists from the first text on.
  if (4 * (views_.size() + 1) > 3 * index_.size()) Grow();
  Slot& slot = index_[SlotOf(text, hash)];
  if (slot.id != kFree) return StringId{slot.id};
  std::string_view stored;
  if (!text.empty()) {
    char* p = Allocate(text.size());
    std::memcpy(p, text.data(), text.size());
    stored = {p, text.size()};
  }
  const auto id = static_cast<uint32_t>(views_.size());
  views_.push_back(stored);
  slot = {hash, id};
  return StringId{id};
}

StringId StringPool::Find(std::string_view text) const {
  if (index_.empty()) return {};
  const Slot& slot = index_[SlotOf(text, Hash(text))];
  return slot.id == kFree ? StringId{} : StringId{slot.id};
}

}  // namespace ncclwhy

// Mixing for the parser's small open-addressing tables and for the digest of collectives. Stable across platforms: the
// digests of different machines are compared.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace ncclwhy {

// The finisher of SplitMix64: every bit of the input changes about half of the output.
// 0 stays 0.
// Invertible: different numbers have different results.
inline uint64_t Mix64(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// Eight bytes at a time, then the rest as one number. `seed` tells kinds of text apart that share a table. Not against
// somebody who looks for collisions: who uses it compares the texts as well.
// The length goes in first, so that "a" and "a\0" differ. Changing it changes the format of digests (kDigestFormat) and
// the order of sources that have one name.
inline uint64_t HashBytes(std::string_view text, uint64_t seed) {
  uint64_t h = seed ^ (text.size() * 0x9e3779b97f4a7c15ull);
  while (text.size() >= 8) {
    uint64_t word;
    std::memcpy(&word, text.data(), 8);
    h = Mix64(h ^ word);
    text.remove_prefix(8);
  }
  uint64_t tail = 0;
  for (char c : text) tail = (tail << 8) | static_cast<unsigned char>(c);
  return Mix64(h ^ tail);
}

// The same for tables that live as long as one source: faster, and nothing that others compare. The bytes at the end
// are read once more as the last eight, so no loop over single bytes is left but for texts below eight.
// Depends on the byte order of the machine, so it never goes into a digest.
inline uint64_t HashQuickly(std::string_view text, uint64_t seed) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15ull;
  const auto word = [&](size_t at) {
    uint64_t w = 0;
    std::memcpy(&w, text.data() + at, sizeof w);
    return w;
  };
  uint64_t h = seed ^ (text.size() * kOdd);
  if (text.size() < 8) {
    uint64_t few = 0;
    for (const char c : text) few = few << 8 | static_cast<unsigned char>(c);
    return Mix64(h ^ few);
  }
  // Two chains, so that one multiplication need not wait for the other.
  uint64_t g = kOdd;
  size_t at = 0;
  for (; at + 16 < text.size(); at += 16) {
    h = std::rotl((h ^ word(at)) * kOdd, 29);
    g = std::rotl((g ^ word(at + 8)) * kOdd, 31);
  }
  if (at + 8 < text.size()) h = std::rotl((h ^ word(at)) * kOdd, 29);
  return Mix64(h ^ std::rotl(g, 17) ^ word(text.size() - 8));
}

// Slots of indices into a vector that the caller owns. `Equal(index)` compares, `Hash(index)` rehashes. Half of the
// hash stands beside each index: what is compared is nearly always equal, and nothing else of the vector is fetched. A
// std::unordered_map would hold every key a second time, in a node of its own.
// Nothing is ever removed. Memory is that of the slots: eight bytes each, at most four of them for an index. Not
// thread-safe; reading it from several threads is.
//    uint32_t i = table.Find(hash, [&](uint32_t at) { return hosts[at].name == name; });
//    if (i == IndexTable::kEmpty) table.Add(hash, i = hosts.size(), [&](uint32_t at) { return HashOf(hosts[at]); });
class IndexTable {
 public:
  // No index is this one: a vector with 2^32 - 1 entries is beyond every limit here.
  static constexpr uint32_t kEmpty = UINT32_MAX;

  // Takes no memory before the first Add: a source has a dozen of these, and most sources are small.
  IndexTable() = default;
  // A later segment of a source begins with a copy of what the first one has learned.
  IndexTable(const IndexTable& other) : mask_(other.mask_), used_(other.used_) {
    if (other.slots_ == nullptr) return;
    slots_ = std::make_unique<Slot[]>(mask_ + 1);
    std::copy_n(other.slots_.get(), mask_ + 1, slots_.get());
  }
  IndexTable(IndexTable&&) noexcept = default;
  IndexTable& operator=(IndexTable&&) noexcept = default;

  // The index with this hash for which `equal(index)` holds, or kEmpty.
  // There is always a free slot, at which the search ends.
  template <typename Equal>
  uint32_t Find(uint64_t hash, Equal equal) const {
    if (slots_ == nullptr) return kEmpty;
    for (uint64_t i = hash & mask_;; i = (i + 1) & mask_) {
      const Slot slot = slots_[i];
      if (slot.index == kEmpty || (slot.tag == TagOf(hash) && equal(slot.index))) return slot.index;
    }
  }
  // `index` was not found before. Never more than half full; growing asks `rehash(index)` for each one that is there.
  // Throws std::bad_alloc before anything has changed.
  template <typename Hash>
  void Add(uint64_t hash, uint32_t index, Hash rehash) {
    if (slots_ == nullptr || (used_ + 1) * 2 > mask_ + 1) {
      const uint64_t size = slots_ == nullptr ? 16 : (mask_ + 1) * 2;
      auto bigger = std::make_unique<Slot[]>(size);
      if (slots_ != nullptr) {
        for (uint64_t i = 0; i <= mask_; ++i) {
          if (slots_[i].index != kEmpty) Place(bigger.get(), size - 1, rehash(slots_[i].index), slots_[i].index);
        }
      }
      slots_ = std::move(bigger);
      mask_ = size - 1;
    }
    Place(slots_.get(), mask_, hash, index);
    ++used_;
  }

 private:
  // Linear probing: eight slots share a cache line.
  // Eight bytes, so that one load brings both.
  struct Slot {
    uint32_t index = kEmpty;
    uint32_t tag = 0;
  };
  // The upper half: the lower one chose the slot, so it is much the same for all that are compared.
  static uint32_t TagOf(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }
  // Somewhere behind its own slot there is a free one.
  static void Place(Slot* slots, uint64_t mask, uint64_t hash, uint32_t index) {
    uint64_t i = hash & mask;
    while (slots[i].index != kEmpty) i = (i + 1) & mask;
    slots[i] = {index, TagOf(hash)};
  }
  std::unique_ptr<Slot[]> slots_;
  // One less than the number of slots, which is a power of two.
  uint64_t mask_ = 0;
  // Indices that are in.
  uint64_t used_ = 0;
};

}  // namespace ncclwhy

// GramIndex: which of thousands of texts may stand in a line, without looking at every place of the line.
//
// A text is filed under pieces of a few bytes that follow each other at one place in it:
//   "Connection refused"  →  `n refu` ` refus` `refuse` `efused`
// Wherever the text stands, one of the four begins at a multiple of four, so only those places are looked up. Texts too
// short for that have pieces of three bytes at multiples of two. The rarest pieces are taken.
//
// The tables are flat arrays of plain numbers: data made when the program is built, or by GramIndexBuilder.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ncclwhy {

struct GramEntry {
  uint64_t bytes = 0;   // the gram and what follows it in the text, eight bytes at most, the first one lowest
  uint32_t text = 0;    // number of the text
  uint16_t offset = 0;  // of the gram in the text
  uint16_t unused = 0;  // bits of `bytes` that are none

  bool Begins(uint64_t word) const { return (word ^ bytes) << unused == 0; }
};

// The grams of one size.
struct GramTable {
  std::span<const uint8_t> filter;  // of its bits, those that no gram has are 0
  std::span<const uint32_t> slots;  // a power of two, and one more: slot s is entries[slots[s] .. slots[s + 1])
  std::span<const GramEntry> entries;
};

class GramIndex {
 public:
  static constexpr size_t kLeast = 4;  // bytes of a text
  static constexpr size_t kLong = 6, kLongStep = 4;
  static constexpr size_t kShort = 3, kShortStep = 2;

  GramIndex() = default;
  GramIndex(const GramTable& longs, const GramTable& shorts) : longs_(longs), shorts_(shorts) {}

  // Calls visit(entry, at) where the gram of an entry stands in `text`: at least once for each text that is in there.
  template <typename Visit>
  void ForEach(std::string_view text, Visit visit) const {
    if (longs_.entries.empty() && shorts_.entries.empty()) return;
    const auto look = [&](uint64_t word, size_t at) {
      const uint64_t next = word >> (8 * kShortStep);
      if (MayBeLong(word)) ForGram(longs_, LongMix(word), word, at, visit);
      if (MayBeShort(word)) ForGram(shorts_, ShortMix(word), word, at, visit);
      if (MayBeShort(next)) ForGram(shorts_, ShortMix(next), next, at + kShortStep, visit);
    };
    size_t at = 0;
    while (at + kWord <= text.size()) {
      const size_t steps = std::min((text.size() - at - kWord) / kLongStep + 1, kMostSteps);
      for (uint64_t hits = Hits(text.data() + at, steps); hits != 0; hits &= hits - 1) {
        const size_t place = at + kLongStep * static_cast<size_t>(std::countr_zero(hits));
        look(LoadWord(text.data() + place), place);
      }
      at += kLongStep * steps;
    }
    for (; at < text.size(); at += kLongStep) {
      const bool end = text.size() >= kWord;
      look(end ? LoadWord(text.data() + text.size() - kWord) >> (8 * (at + kWord - text.size()))
               : LoadTail(text.substr(at)),
           at);
    }
  }

 private:
  friend class GramIndexBuilder;
  static constexpr size_t kWord = sizeof(uint64_t);
  static constexpr size_t kMostSteps = 64;
  // Sizes of the filters: together they leave room for other things in the first cache.
  static constexpr int kLongFilter = 19;
  static constexpr int kShortFilter = 16;

  // Eight bytes, the first one lowest.
  static uint64_t LoadWord(const char* p) {
    if constexpr (std::endian::native == std::endian::big) return LoadTail({p, kWord});
    uint64_t word = 0;
    std::memcpy(&word, p, kWord);
    return word;
  }
  // The same of less, with zeros behind: no text has a NUL.
  static uint64_t LoadTail(std::string_view rest) {
    uint64_t word = 0;
    for (size_t i = 0; i < rest.size() && i < kWord; ++i) {
      word |= uint64_t{static_cast<unsigned char>(rest[i])} << (8 * i);
    }
    return word;
  }
  // Of the first bytes of a word. The upper bits are used, first those for the filter.
  static uint64_t LongMix(uint64_t word) { return (word << (64 - 8 * kLong)) * 0x9e3779b97f4a7c15ull; }
  static uint32_t ShortMix(uint64_t word) { return (static_cast<uint32_t>(word) << (32 - 8 * kShort)) * 2654435761u; }
  static uint64_t SlotOf(uint64_t mixed, size_t slots) { return mixed >> (64 - std::countr_zero(slots)); }
  static uint64_t SlotOf(uint32_t mixed, size_t slots) { return mixed >> (32 - std::countr_zero(slots)); }

  static uint32_t Bit(const uint8_t* filter, uint64_t slot) { return filter[slot >> 3] >> (slot & 7) & 1u; }
  bool MayBeLong(uint64_t word) const { return Bit(longs_.filter.data(), LongMix(word) >> (64 - kLongFilter)) != 0; }
  bool MayBeShort(uint64_t word) const {
    return Bit(shorts_.filter.data(), ShortMix(word) >> (32 - kShortFilter)) != 0;
  }
  // Bit i: a gram may begin in the i-th step from `p` on. Eight bytes can be read at each.
  uint64_t Hits(const char* p, size_t steps) const;

  template <typename Mixed, typename Visit>
  static void ForGram(const GramTable& table, Mixed mixed, uint64_t word, size_t at, Visit& visit) {
    const uint64_t slot = SlotOf(mixed, table.slots.size() - 1);
    for (uint32_t i = table.slots[slot]; i < table.slots[slot + 1]; ++i) {
      if (table.entries[i].Begins(word)) visit(table.entries[i], at);
    }
  }

  GramTable longs_;
  GramTable shorts_;
};

// Owns the tables that a builder made.
struct GramTableStorage {
  std::vector<uint8_t> filter;
  std::vector<uint32_t> slots;
  std::vector<GramEntry> entries;
  GramTable View() const { return {filter, slots, entries}; }
};
struct GramIndexStorage {
  GramTableStorage longs, shorts;
  GramIndex View() const { return {longs.View(), shorts.View()}; }
};

class GramIndexBuilder {
 public:
  // Files `text` under one of its pieces, all of which must stand in a line that has the text. False: none is long
  // enough, or they hold a NUL. The pieces are views that must last until Build.
  bool Add(uint32_t text, std::span<const std::string_view> pieces);
  GramIndexStorage Build() const;

 private:
  using Frequency = std::unordered_map<uint64_t, uint32_t>;
  struct Text {
    uint32_t number = 0;
    std::vector<std::string_view> pieces;
  };
  // Where the grams of a text are taken from.
  struct Window {
    std::string_view piece;
    size_t begin = 0;
    uint64_t cost = UINT64_MAX;
  };

  static void Count(std::string_view text, size_t size, uint32_t cost, Frequency* frequency);
  static Window RarestOf(const Text& text, size_t size, size_t step, const Frequency& frequency);
  static void File(uint32_t text, const Window& window, size_t step, size_t most, std::vector<GramEntry>* entries);
  template <typename Mix>
  static GramTableStorage MakeTable(std::vector<GramEntry> entries, Mix mix, int filter_bits);

  std::vector<Text> texts_;
  Frequency longs_, shorts_;  // in how many places of all pieces a gram stands
};

}  // namespace ncclwhy

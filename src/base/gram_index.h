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

// A gram is a piece of kLong or kShort bytes; an entry says which text has it, and where.
struct GramEntry {
  uint64_t bytes = 0;  // the gram and what follows it in the text, eight bytes at most, the first one lowest
  // As GramIndexBuilder::Add was told; several texts may share a number, and a text has several entries.
  uint32_t text = 0;    // number of the text
  uint16_t offset = 0;  // of the gram in the text
  uint16_t unused = 0;  // bits of `bytes` that are none

  // `word` holds the eight bytes of the line from the gram on. Equal in all bytes that the entry has: what follows the
  // gram is compared in the same step, so a gram that many texts have costs one comparison for each, and hardly ever a
  // visit.
  // Bytes that the entry does not have are shifted out.
  bool Begins(uint64_t word) const { return (word ^ bytes) << unused == 0; }
};

// The grams of one size. The arrays are borrowed: constants of the program, or a GramTableStorage that must live as
// long. Three levels, each asked only where the one before says yes: a bit, a slot, the bytes.
struct GramTable {
  // A power of two of bits, as kLongFilter and kShortFilter say; it is asked for most places of a line, so it has to
  // stay in the cache.
  std::span<const uint32_t> filter;  // of its bits, those that no gram has are 0
  std::span<const uint32_t> slots;   // a power of two, and one more: slot s is entries[slots[s] .. slots[s + 1])
  std::span<const GramEntry> entries;
};

// Immutable; any number of threads may ask one at a time.
class GramIndex {
 public:
  static constexpr size_t kLeast = 4;  // bytes of a text
  // With steps of four, grams of six reach over nine bytes of a text: of its four grams in a row, one begins where it
  // is looked for. kShort: three bytes at two of two places, which four bytes have.
  static constexpr size_t kLong = 6, kLongStep = 4;
  static constexpr size_t kShort = 3, kShortStep = 2;

  // Of no texts: ForEach visits nothing.
  GramIndex() = default;
  // A copy of the spans, cheap to hand over; the arrays are the storage's.
  GramIndex(const GramTable& longs, const GramTable& shorts) : longs_(longs), shorts_(shorts) {}

  // Calls visit(entry, at) where the gram of an entry stands in `text`: at least once for each text that is in there.
  // The text itself would begin at `at - entry.offset`, which is not compared: who visits does, and has to expect false
  // ones, and the same text several times.  A line without a hit costs three looks into the filters for each four
  // bytes, however many texts there are.
  // `visit` may not change the index. The order of the calls is that of the places in the text, longs before shorts at
  // each.
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
    // Places at whose eight bytes nothing is missing, 64 of them at a time: as many as the bits of `hits`.
    while (at + kWord <= text.size()) {
      const size_t steps = std::min((text.size() - at - kWord) / kLongStep + 1, kMostSteps);
      for (uint64_t hits = Hits(text.data() + at, steps); hits != 0; hits &= hits - 1) {
        const size_t place = at + kLongStep * static_cast<size_t>(std::countr_zero(hits));
        look(LoadWord(text.data() + place), place);
      }
      at += kLongStep * steps;
    }
    // The end of the line, where fewer than eight bytes are left: they are read as the upper ones of the last eight, or
    // one by one in a line shorter than that.
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
  // Sizes of the filters as powers of two of bits: 64 KiB and 8 KiB. Together they leave room for other things in the
  // cache nearest to the processor.
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
  // Also what LoadWord is on machines that store the highest byte first.
  static uint64_t LoadTail(std::string_view rest) {
    uint64_t word = 0;
    for (size_t i = 0; i < rest.size() && i < kWord; ++i) {
      word |= uint64_t{static_cast<unsigned char>(rest[i])} << (8 * i);
    }
    return word;
  }
  // Of the first bytes of a word, whatever follows them: these are shifted out. The upper bits are used, since a
  // multiplication mixes upwards: first those for the filter, the same ones for the slot.
  static uint64_t LongMix(uint64_t word) { return (word << (64 - 8 * kLong)) * 0x9e3779b97f4a7c15ull; }
  static uint32_t ShortMix(uint64_t word) { return (static_cast<uint32_t>(word) << (32 - 8 * kShort)) * 2654435761u; }
  static uint64_t SlotOf(uint64_t mixed, size_t slots) { return mixed >> (64 - std::countr_zero(slots)); }
  static uint64_t SlotOf(uint32_t mixed, size_t slots) { return mixed >> (32 - std::countr_zero(slots)); }

  // In the lowest bit; what is above says nothing.
  static uint32_t Bit(const uint32_t* filter, uint64_t slot) { return filter[slot >> 5] >> (slot & 31); }
  static uint32_t LongBit(const uint32_t* filter, uint64_t word) {
    return Bit(filter, LongMix(word) >> (64 - kLongFilter));
  }
  static uint32_t ShortBit(const uint32_t* filter, uint64_t word) {
    return Bit(filter, ShortMix(word) >> (32 - kShortFilter));
  }
  bool MayBeLong(uint64_t word) const { return (LongBit(longs_.filter.data(), word) & 1u) != 0; }
  bool MayBeShort(uint64_t word) const { return (ShortBit(shorts_.filter.data(), word) & 1u) != 0; }
  // Bit i: a gram may begin in the i-th step from `p` on. Eight bytes can be read at each. A loop without a branch, as
  // nearly all bits are 0; compilers unroll it.
  // `steps` is at most kMostSteps, the bits of the result.
  uint64_t Hits(const char* p, size_t steps) const;

  // Visits all entries of the slot of `mixed` that begin as `word` does.
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

// Owns the tables that a builder made. View borrows: the storage must outlive it, unchanged.
// Moving keeps the spans of a View good, as vectors keep their memory; copying does not.
struct GramTableStorage {
  std::vector<uint32_t> filter;
  std::vector<uint32_t> slots;
  std::vector<GramEntry> entries;
  GramTable View() const { return {filter, slots, entries}; }
};
struct GramIndexStorage {
  GramTableStorage longs, shorts;
  // Two tables of spans; cheap, and good as long as the storage.
  GramIndex View() const { return {longs.View(), shorts.View()}; }
};

// For the build step that embeds the catalogue, and for rules that are read at run time. Not thread-safe.
class GramIndexBuilder {
 public:
  // Files `text` under one of its pieces, all of which must stand in a line that has the text: for a pattern with gaps,
  // `Call to (.*) failed` has ` failed` and `Call to `. False: none is long enough (kLeast), or they hold a NUL, which
  // stands for "nothing more" in LoadTail; such a text has to be looked for in every line. The pieces are views that
  // must last until Build.
  bool Add(uint32_t text, std::span<const std::string_view> pieces);
  // Which grams are rare is known only when all texts are there, so nothing is chosen before. Depends on the order of
  // Add alone: a build made twice is the same.
  GramIndexStorage Build() const;

 private:
  // By the bytes of a gram, as LoadTail has them.
  using Frequency = std::unordered_map<uint64_t, uint32_t>;
  struct Text {
    uint32_t number = 0;
    std::vector<std::string_view> pieces;
  };
  // Where the grams of a text are taken from: `step` in a row from `begin` of a piece on. UINT64_MAX: no piece is long
  // enough.
  struct Window {
    std::string_view piece;
    size_t begin = 0;
    uint64_t cost = UINT64_MAX;
  };

  // Adds `cost` for every place of `text` at which a gram of `size` bytes begins.
  static void Count(std::string_view text, size_t size, uint32_t cost, Frequency* frequency);
  // Rare by the texts that are filed and by kUsual, words of lines that programs print all the time (gram_index.cc).
  static Window RarestOf(const Text& text, size_t size, size_t step, const Frequency& frequency);
  // Makes an entry of each gram of the window.
  // `most`: bytes of an entry, those behind the gram included.
  static void File(uint32_t text, const Window& window, size_t step, size_t most, std::vector<GramEntry>* entries);
  template <typename Mix>
  static GramTableStorage MakeTable(std::vector<GramEntry> entries, Mix mix, int filter_bits);

  std::vector<Text> texts_;
  // Of grams with kLong and kShort bytes.
  Frequency longs_, shorts_;  // in how many places of all pieces a gram stands
};

}  // namespace ncclwhy

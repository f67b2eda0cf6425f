// ShapeMemo: lines of which only the numbers are new, and what is known of all of them, whatever these are:
//   36400.137000 sendProxyProgress:1188 NCCL TRACE sendProxy [364/4] request 0x7f0000006b00 done
//   |----------||---------- head -----------------||-------------- body -----------------------|
// A line is compared with the latest one of its shape, or one whose numbers are as long; where they differ, both must
// have a number. Who keeps a shape answers for it (ShapeLearner). Bounded.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/avx2.h"
#include "base/swar.h"
#include "parser/event.h"
#include "parser/fast/line_meaning.h"
#include "parser/prefix.h"
#include "parser/skeleton.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ncclwhy {

// Not thread-safe: a line that is recalled becomes the latest of its shape. At most kMost shapes, less than 2 KiB each.
class ShapeMemo {
 public:
  // How many bytes of a line behind its known header Recall may look at.
  static constexpr size_t kReach = 320;
  static constexpr uint32_t kNone = UINT32_MAX;

  // What Recall found. `meaning` is the memo's own, and has this line's places; valid until the next Recall or Keep.
  struct Line {
    LineMeaning* meaning = nullptr;
    const char* text = nullptr;  // head and body
    size_t body = 0;             // where it begins behind the known header
    size_t size = 0;             // head and body
  };

  // Whether `text`, which stands behind a known header of this level, begins with a known line and its newline. kReach
  // bytes can be read there.
  // A level of kNone: the header is known up to its device, and milliseconds follow. The shapes of a slot are tried one
  // after the other; one that fits comes to the front.
  bool Recall(LogLevel level, const char* text, Line* line) {
    if (entries_.empty()) return false;
    const char* begin = text;
    if (level == LogLevel::kNone) {
      begin += MillisecondsSize({text, kReach});
      if (begin == text) return false;
    }
    uint32_t& first = first_[SlotOf(level, begin)];
    for (uint32_t* i = &first; *i != kNone; i = &entries_[*i].next) {
      Entry& e = entries_[*i];
      if (e.level != level || !Take(e, begin, text + kReach)) continue;
      line->meaning = &e.meaning;
      line->text = begin;
      line->body = static_cast<size_t>(begin - text) + e.head;
      line->size = static_cast<size_t>(begin - text) + e.line_size - 1;
      if (i != &first) {  // the next line is likely one of these
        const uint32_t found = *i;
        *i = e.next;
        e.next = first;
        first = found;
      }
      return true;
    }
    return false;
  }

  // Before the first shape is known nothing needs to be copied for Recall.
  bool empty() const { return entries_.empty(); }
  // Nothing more is kept then; nothing is dropped for a new one.
  bool full() const { return entries_.size() >= kMost; }

  // `head` is what stands between the milliseconds, or the known header, and the body; letter by letter. `shape` and
  // `numbers` are those of the body. Lines with one of the `words` in a hexadecimal number are not known.
  // The line itself is the first to compare with. Left out: what is shorter than sixteen bytes or might not fit into
  // kReach when its numbers grow, and more words than can be looked for.
  void Keep(LogLevel level, std::string_view head, std::string_view body, std::string_view shape,
            std::span<const NumberPlace> numbers, const LineMeaning& meaning, const std::vector<std::string>& words);

 private:
  static constexpr size_t kMost = 256;
  static constexpr size_t kSlots = 64;
  static constexpr size_t kMostWords = 4;
  static constexpr size_t kMostRead = 16;  // of a number, and at once

  struct Entry {
    LogLevel level = LogLevel::kNone;
    bool words = false;  // are looked for in its hexadecimal numbers
    // Or kNone behind the last one.
    uint32_t next = kNone;  // entry of the same slot
    uint32_t head = 0;
    uint32_t size = 0;  // of `text`, with its newline
    uint32_t hex = 0;   // a bit for each number
    uint32_t bare = 0;  // hexadecimal without 0x
    // One of the latest lines, its newline included: a longer line with the same beginning is none of this shape.
    std::array<char, kReach> text{};
    std::array<NumberPlace, skeleton::kMostNumbers> places;  // of its numbers
    uint32_t line_size = 0;                                  // of the latest line, with its newline
    uint32_t other_size = 0;                                 // of the latest one whose numbers were of other widths
    bool elsewhere = false;  // `meaning` has the places of the latest line, which is not `text`
    // Of its bytes: -1 where another digit may stand, or another letter of a hexadecimal number.
    std::array<char, kReach> numbers{};
    std::array<char, kReach> hexes{};
    LineMeaning meaning;
  };

  // The letters of the first eight bytes that stand in front of a digit.
  //    Channel, sendProx, AllReduc: what a message begins with, not its numbers
  static size_t SlotOf(LogLevel level, const char* text) {
    const uint64_t word = swar::Load(text);
    const size_t letters = swar::Letters(word);
    const uint64_t known = letters < 8 ? word & ((uint64_t{1} << (8 * letters)) - 1) : word;
    return static_cast<size_t>((known + static_cast<uint64_t>(level)) * 0x9e3779b97f4a7c15ull >> 58);
  }
  static_assert(kSlots == 1 << 6);

  // Fills the masks of an entry from the places of its numbers.
  // Again whenever another line with other widths is the latest.
  static void MarkNumbers(Entry* e);
  // False: they cannot be looked for, being too short or too many.
  bool AddWords(const std::vector<std::string>& words);

  // Whether a line with the words of `e` begins at `text`.
  // `limit`: the end of what can be read.
  bool Take(Entry& e, const char* text, const char* limit) const {
    const bool same = wide_ && e.size >= 32 ? HasWidthsWide(e, text) : HasWidths(e, text);
    if (!same) return TakeOther(e, text, limit);
    if (e.elsewhere) {
      e.meaning.places = e.places;
      e.line_size = e.size;
      e.elsewhere = false;
    }
    for (uint32_t left = e.words ? e.hex : e.bare; left != 0; left &= left - 1) {
      const auto n = static_cast<size_t>(std::countr_zero(left));
      const NumberPlace& place = e.meaning.places[n];
      if (!MayBe(e, n, text + place.begin, size_t{place.end} - place.begin, &e.meaning.words)) return false;
    }
    return true;
  }

  // One whose numbers are as long as those of the latest one, told in one pass.
  // Each byte must be the same, or a digit where both have a digit. False on machines without SSE2, where TakeOther
  // answers.
  static bool HasWidths(const Entry& e, const char* text) {
#if defined(__SSE2__)
    const auto in = [](__m128i bytes, char first, char last) {
      const __m128i moved = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
      return _mm_cmpeq_epi8(_mm_min_epu8(moved, _mm_set1_epi8(static_cast<char>(last - first))), moved);
    };
    const auto fits = [&](size_t at) {
      const auto load = [&](const char* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + at)); };
      const __m128i bytes = load(text);
      const __m128i decimal = _mm_and_si128(in(bytes, '0', '9'), load(e.numbers.data()));
      const __m128i letter =
          _mm_and_si128(in(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'f'), load(e.hexes.data()));
      return _mm_or_si128(_mm_or_si128(decimal, letter), _mm_cmpeq_epi8(bytes, load(e.text.data())));
    };
    __m128i all = fits(e.size - 16);
    for (size_t at = 0; at + 16 < e.size; at += 16) all = _mm_and_si128(all, fits(at));
    return _mm_movemask_epi8(all) == 0xFFFF;
#else
    (void)e, (void)text;
    return false;
#endif
  }

  // The same, 32 bytes at a time, of a line that has so many. Only where wide_.
  static bool HasWidthsWide(const Entry& e, const char* text);

  // The same of one with longer or shorter ones, which is the latest one then.
  // Word by word and number by number; then the masks are made anew.
  bool TakeOther(Entry& e, const char* text, const char* limit) const;

  // Whether these digits may be number `n` of a line like that. Notes in `words` whether they are letters alone.
  //    opCount 1f     hexadecimal without 0x: `10` would be a decimal number and `ab` a word, in another shape
  bool MayBe(const Entry& e, size_t n, const char* digits, size_t size, uint32_t* words) const {
    const uint32_t bit = uint32_t{1} << n;
    if ((e.hex & bit) != 0 && e.words && HoldsWord(digits)) return false;
    if ((e.bare & bit) == 0) return true;
    const size_t decimals = swar::DecimalDigits(digits);
    if (decimals >= size) return false;  // another shape
    const bool any = decimals > 0 || std::any_of(digits, digits + size, [](char c) { return c <= '9'; });
    *words = any ? *words & ~bit : *words | bit;
    return true;
  }

  // Whether one of the words begins in the sixteen bytes at `p`. More than the number is looked at: that costs a line
  // now and then.
  // A literal of a rule such as "c10d" may be spelled by a number.
  bool HoldsWord(const char* p) const {
    for (const uint32_t word : words_) {
      if (swar::HoldsFour(p, word)) return true;
    }
    return false;
  }

  bool wide_ = HasAvx2();
  // By slot: the entry that is tried first.
  std::array<uint32_t, kSlots> first_{};
  // Of all entries together, at most kMostWords.
  std::vector<uint32_t> words_;  // four bytes of each
  std::vector<Entry> entries_;
};

}  // namespace ncclwhy

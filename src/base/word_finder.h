// WordFinder: which of some words stand in a text, in one pass over it instead of a search for each. For words that
// nearly no text has: what a text costs does not depend on how many words there are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/avx2.h"

namespace ncclwhy {

// Immutable; usable as a constant.
class WordFinder {
 public:
  static constexpr size_t kMost = 128;  // words
  static constexpr size_t kBits = 64;   // of what is found
  static constexpr size_t kLeast = 3;   // bytes of a word
  // What a word says. Several may say the same.
  struct Sign {
    uint8_t bit = 0;
    bool any_case = false;         // it is written in small letters, and found in capital ones, too
    uint16_t within = UINT16_MAX;  // bytes of the text in which it has to end
  };
  // The words are borrowed, and must live as long. Word i is bit i of what is found, so there are kBits at most.
  // None may be shorter than kLeast: its first bytes are read without a look at its size.
  constexpr explicit WordFinder(std::span<const std::string_view> words) : WordFinder(words, {}) {}
  // The same with a sign for each, which are borrowed as well.
  constexpr WordFinder(std::span<const std::string_view> words, std::span<const Sign> signs)
      : words_(words), signs_(signs), fold_(signs.empty() ? 0 : kSmall) {
    // By their texts: words that begin alike are in one group, which lets less through.
    std::array<uint8_t, kMost> order{};
    for (size_t i = 0; i < words.size(); ++i) {
      size_t at = i;
      for (; at > 0 && words[i] < words[order[at - 1]]; --at) order[at] = order[at - 1];
      order[at] = static_cast<uint8_t>(i);
    }
    const size_t groups = words.size() > kFew ? kGroups : kHalf;
    for (size_t i = 0; i < words.size(); ++i) File(order[i], i * groups / words.size());
  }

  // Bit i: words[i], or one whose sign has that bit, is in `text`, anywhere, also within a longer word. The same on
  // every machine; with AVX2 32 places are looked at in one step.
  // Thread-safe.
  uint64_t Find(std::string_view text) const;

 private:
  // The first bytes of each word are looked up by their halves, as a shuffle can look up sixteen values. Bit b of a
  // table at a half: a word of group b has it at that place. A place of a text is compared with words only where all
  // tables say so.
  static constexpr size_t kPlaces = 4;
  static constexpr size_t kStep = 32;  // places
  static constexpr size_t kGroups = 16;
  static constexpr size_t kHalf = 8;  // groups that a vector of bytes can look up at once
  static constexpr size_t kFew = 40;  // words that these are enough for
  // The bit by which a small letter differs from a capital one. It makes no two bytes equal that are not told apart
  // when the word is compared.
  static constexpr char kSmall = 0x20;
  struct Tables {
    alignas(16) std::array<uint8_t, 16> low{}, high{};
  };

  // The words of a group, and their first bytes, as HeadOf has them.
  struct Group {
    alignas(32) std::array<uint32_t, kMost / kGroups> heads{};
    std::array<uint8_t, kMost / kGroups> words{};
    uint32_t size = 0;
  };
  // kLeast bytes, the first one lowest.
  static constexpr uint32_t HeadOf(const char* p, char fold) {
    const auto byte = [&](size_t i) { return uint32_t{static_cast<uint8_t>(p[i] | fold)} << (8 * i); };
    return byte(0) | byte(1) | byte(2);
  }

  constexpr void File(size_t number, size_t group) {
    const std::string_view word = words_[number];
    Group& g = groups_[group];
    g.words[g.size] = static_cast<uint8_t>(number);
    g.heads[g.size++] = HeadOf(word.data(), fold_);
    Tables* const tables = tables_[group / kHalf].data();
    const auto bit = static_cast<uint8_t>(1u << (group % kHalf));
    for (size_t place = 0; place < kPlaces; ++place) {
      if (place == word.size()) {  // whatever stands behind it
        for (size_t half = 0; half < 16; ++half) tables[place].low[half] |= bit, tables[place].high[half] |= bit;
        return;
      }
      const auto byte = static_cast<uint8_t>(word[place] | fold_);
      tables[place].low[byte & 15] |= bit;
      tables[place].high[byte >> 4] |= bit;
    }
  }

  // The bit of this word if it stands at `at`.
  uint64_t BitAt(std::string_view text, size_t at, size_t word) const;
  uint64_t FindPortably(std::string_view text) const;
  // kBoth: there are words in the second half of the groups.
  template <bool kBoth>
  uint64_t FindWithAvx2(std::string_view text) const;
#ifdef NCCLWHY_AVX2
  template <bool kBoth>
  uint64_t StepWithAvx2(std::string_view text, size_t at, const __m256i (&by_place)[kPlaces], uint32_t places) const;
  uint64_t BeginningWithAvx2(std::string_view text, size_t at, uint32_t groups) const;
#endif

  std::array<std::array<Tables, kPlaces>, kGroups / kHalf> tables_{};
  std::array<Group, kGroups> groups_{};
  std::span<const std::string_view> words_;
  std::span<const Sign> signs_;
  char fold_;
};

}  // namespace ncclwhy

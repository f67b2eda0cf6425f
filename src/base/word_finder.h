// WordFinder: which of at most 32 words stand in a text, in one pass over it instead of a search for each. For words
// that nearly no text has: what a text costs does not depend on how many words there are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace ncclwhy {

// Immutable; usable as a constant.
class WordFinder {
 public:
  static constexpr size_t kMost = 32;  // words
  static constexpr size_t kLeast = 3;  // bytes of each
  // The words are borrowed, and must live as long. Word i is in group i % 8: a byte has a bit for each group, as many
  // as a vector of bytes can look up at once.
  // None may be shorter than kLeast: its first bytes are read without a look at its size.
  constexpr explicit WordFinder(std::span<const std::string_view> words) : words_(words) {
    for (size_t i = 0; i < words.size(); ++i) {
      const auto bit = static_cast<uint8_t>(1u << (i % 8));
      groups_[i % 8] |= uint32_t{1} << i;
      for (size_t place = 0; place < kPlaces; ++place) {
        const auto byte = static_cast<unsigned char>(words[i][place]);
        by_byte_[place][byte] |= bit;
        by_low_[place][byte & 15] |= bit;
        by_high_[place][byte >> 4] |= bit;
      }
    }
  }

  // Bit i: words[i] is in `text`, anywhere, also within a longer word. The same on every machine; with AVX2 32 places
  // are looked at in one step.
  // Thread-safe.
  uint32_t Find(std::string_view text) const;

 private:
  // The first bytes of each word are looked up. Bit b of a table at a byte: a word of group b has it at that place. A
  // place of a text is compared with words only where all three say so.
  static constexpr size_t kPlaces = kLeast;

  // Compares what the tables let through, word by word.
  uint32_t Beginning(std::string_view text, uint32_t groups) const;
  uint32_t FindPortably(std::string_view text) const;
  uint32_t FindWithAvx2(std::string_view text) const;

  // For machines without AVX2; the next two tables say the same by halves of a byte, as a shuffle can look up sixteen
  // values.
  std::array<std::array<uint8_t, 256>, kPlaces> by_byte_{};
  std::array<std::array<uint8_t, 16>, kPlaces> by_low_{}, by_high_{};  // by half of the byte
  std::array<uint32_t, 8> groups_{};                                   // the words of each
  std::span<const std::string_view> words_;
};

}  // namespace ncclwhy

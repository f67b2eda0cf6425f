#include "parser/line_shape.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "parser/scan.h"
#include "parser/skeleton.h"

// SSE2 is part of every x86-64 processor; elsewhere the same masks are made byte by byte.
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ncclwhy {

// One pass makes four masks of the text, a bit for each byte; all that follows asks them instead of the bytes.
bool LineShape::Classify(std::string_view text) {
  constexpr size_t kStep = 16;
  uint64_t unfit = 0;
  for (size_t block = 0; block * kBlock < text.size(); ++block) {
    uint64_t hex = 0, decimal = 0, word = 0, x = 0;
    // The end of the text is copied into zeros: 16 bytes are loaded, and what lies behind the text is not the reader's.
    for (size_t i = 0; i < kBlock && block * kBlock + i < text.size(); i += kStep) {
      const size_t at = block * kBlock + i;
      std::array<char, kStep> tail{};
      const char* p = text.data() + at;
      if (text.size() - at < kStep) {
        std::memcpy(tail.data(), p, text.size() - at);
        p = tail.data();
      }
#if defined(__SSE2__)
      const auto mask = [](__m128i bytes) { return uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(bytes))}; };
      const auto in = [](__m128i bytes, char first, char last) {
        const __m128i moved = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
        return _mm_cmpeq_epi8(_mm_min_epu8(moved, _mm_set1_epi8(static_cast<char>(last - first))), moved);
      };
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
      // A capital letter counts as a letter of a word but not as a hexadecimal digit: NCCL prints small ones.
      const __m128i digits = in(bytes, '0', '9');
      const __m128i letters = in(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z');
      decimal |= mask(digits) << i;
      hex |= mask(_mm_or_si128(digits, in(bytes, 'a', 'f'))) << i;
      x |= mask(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('x'))) << i;
      word |= mask(_mm_or_si128(_mm_or_si128(digits, letters), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')))) << i;
      unfit |= mask(in(bytes, skeleton::kDecimal, skeleton::kHex));
#else
      for (size_t k = 0; k < kStep; ++k) {
        const char c = p[k];
        const auto bit = [&](bool is) { return uint64_t{is} << (i + k); };
        decimal |= bit(scan::IsDigit(c));
        hex |= bit(scan::IsDigit(c) || (c >= 'a' && c <= 'f'));
        x |= bit(c == 'x');
        word |= bit(scan::IsIdentifierChar(c));
        unfit |= bit(skeleton::IsNumber(c));
      }
#endif
    }
    decimal_[block] = decimal;
    hex_[block] = hex;
    word_[block] = word;
    x_[block] = x;
  }
  return unfit == 0;
}

// So many bits in a row from `at` on, 64 at most.
size_t LineShape::Run(const Bits& bits, size_t at) {
  const uint64_t low = bits[at / kBlock] >> (at % kBlock);
  // A run goes on into the next word of bits; at a border a shift by 64 would be undefined.
  const uint64_t high = at % kBlock == 0 ? 0 : bits[at / kBlock + 1] << (kBlock - at % kBlock);
  return static_cast<size_t>(std::countr_one(low | high));
}

// The number that begins at `at`: how long it is, and what it is in a shape.
LineShape::Number LineShape::NumberAt(std::string_view text, size_t at) const {
  const auto is_word = [&](size_t i) { return (word_[i / kBlock] >> (i % kBlock) & 1) != 0; };
  const bool prefixed = at >= 2 && text[at - 1] == 'x';
  // `0x1f` has its number behind the x; in `3x4f` the x is no prefix, so nothing begins there.
  if (prefixed && text[at - 2] != '0') return {};
  const size_t decimals = Run(decimal_, at);
  if (!prefixed && decimals > 0 && !is_word(at + decimals)) {
    // Longer than fifteen digits is no number: a shape promises that any value of that size is read alike.
    return {decimals <= skeleton::kMostDigits ? decimals : 0, skeleton::kDecimal};
  }
  const size_t digits = Run(hex_, at);
  // `7f3a` is a number and `face` is a word, unless an 0x or a colon shows that it is none.
  if (digits <= skeleton::kMostHexDigits && !is_word(at + digits)) {
    const std::string_view word = text.substr(at, digits);
    const bool of_address = at > 0 && text[at - 1] == ':';  // fe80::ab:1d00
    const bool number = prefixed || decimals > 0 || of_address || std::any_of(word.begin(), word.end(), scan::IsDigit);
    return {number ? digits : 0, skeleton::kHex};
  }
  // `45it/s`, but not the 0 of an `0x1g`.
  const bool unit = !prefixed && decimals > 0 && decimals <= skeleton::kMostDigits && text[at + decimals] != 'x';
  return {unit ? decimals : 0, skeleton::kDecimal};
}

// What stands between numbers is copied, and a mark for each number.
std::string_view LineShape::Of(std::string_view text) {
  numbers_.clear();
  if (text.size() < kShortest || text.size() > kLongest || !Classify(text)) return {};
  if (room_.size() < kRoom) room_.resize(kRoom);
  char* out = room_.data();
  // Of the text: what stands in front of it is in the room already.
  size_t copied = 0;  // of text
  // Eight bytes at a time where these can be read; what stands behind is written over.
  const auto copy_to = [&](size_t end) {
    for (; copied + sizeof(uint64_t) <= text.size() && copied < end;
         copied += sizeof(uint64_t), out += sizeof(uint64_t)) {
      std::memcpy(out, text.data() + copied, sizeof(uint64_t));
    }
    while (copied < end) *out++ = text[copied++];
    out -= copied - end;
    copied = end;
  };
  const size_t blocks = (text.size() + kBlock - 1) / kBlock;
  word_[blocks] = hex_[blocks] = decimal_[blocks] = 0;
  uint64_t word_before = 0, zero_before = 0, x_before = 0;
  for (size_t block = 0; block < blocks; ++block) {
    // Where a word begins: a bit whose neighbour in front has none, that of the block before included.
    const uint64_t words = word_[block] & ~(word_[block] << 1 | word_before);
    // The 0 of an 0x begins a word; only the few digits with an x behind are looked at.
    const uint64_t zeros = words & decimal_[block];
    const uint64_t behind_zero = x_[block] & (zeros << 1 | zero_before);
    // A number begins where a word does, or behind an 0x, which begins the word itself.
    const uint64_t begins = hex_[block] & (words | behind_zero << 1 | x_before);
    word_before = word_[block] >> 63;
    zero_before = zeros >> 63;
    x_before = behind_zero >> 63;
    for (uint64_t left = begins; left != 0; left &= left - 1) {
      const size_t begin = block * kBlock + static_cast<size_t>(std::countr_zero(left));
      const Number number = NumberAt(text, begin);
      if (number.size == 0) continue;
      copy_to(begin);
      *out++ = number.mark;
      copied = begin + number.size;
      numbers_.push_back({static_cast<uint16_t>(begin), static_cast<uint16_t>(copied)});
    }
  }
  copy_to(text.size());
  return {room_.data(), static_cast<size_t>(out - room_.data())};
}

}  // namespace ncclwhy

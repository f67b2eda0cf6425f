// SWAR (SIMD within a register): digits and letters at the beginning of a text, eight or sixteen bytes at a time. A
// loop over characters ends with a branch that is guessed wrong whenever the next number has another length; these have
// none.
//    node07:4711:4802 [3] NCCL INFO AllReduce: opCount 1f sendbuff 0x7f32 … count 65536
//           ^^^^ ^^^^                                  ^^            ^^^^         ^^^^^
//
// Everything here reads whole words: the caller makes sure that they can be read.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ncclwhy::swar {

// A byte of 1 in each place, and a bit of 128: what is added to, or asked of, all eight bytes at once.
inline constexpr uint64_t kOnes = 0x0101010101010101ull;
inline constexpr uint64_t kHighs = kOnes << 7;

// Eight bytes, the first one lowest.
// From any address: memcpy is one instruction where the machine can do that.
inline uint64_t Load(const char* p) {
  uint64_t word = 0;
  std::memcpy(&word, p, sizeof word);
  if constexpr (std::endian::native == std::endian::big) {
    uint64_t turned = 0;
    for (int i = 0; i < 8; ++i) turned |= (word >> (8 * i) & 0xFF) << (56 - 8 * i);
    word = turned;
  }
  return word;
}

// The high bit of each byte that is not in first..last (both below 0x80). Nothing carries from byte to byte.
//    Outside(Load("4711:480"), '0', '9') has the bit of byte 4 alone, that of the colon
// Bytes from 0x80 on are outside of every range.
constexpr uint64_t Outside(uint64_t word, char first, char last) {
  const uint64_t low = word & ~kHighs;  // no carry between bytes
  const uint64_t at_least = low + kOnes * static_cast<uint64_t>(0x80 - first);
  const uint64_t above = low + kOnes * static_cast<uint64_t>(0x7F - last);
  return (~at_least | above | word) & kHighs;
}
// How many bytes come before the first one whose high bit is set.
// 8 where none is set, since 64 zeros are counted.
inline size_t Before(uint64_t highs) { return static_cast<size_t>(std::countr_zero(highs)) / 8; }

// `n`, as a branch: the processor guesses it from the lines before and goes on behind the run while it is still being
// measured. Without this every field of a line waits for the one in front of it. Lengths of 1 to 5 are pids, threads,
// ranks and lines of NCCL's sources; all others are as right, and wait.
// Only where the length of one field decides where the next one begins; elsewhere it costs code and saves nothing.
[[gnu::always_inline]] inline size_t Guess(size_t n) {
#if defined(__GNUC__)
  // The empty statement keeps the compiler from seeing that all branches say the same.
  const auto opaque = [](size_t known) {
    asm volatile("" : "+r"(known));
    return known;
  };
  if (n == 12) return opaque(12);  // a pointer
  switch (n) {
    case 1:
      return opaque(1);
    case 2:
      return opaque(2);
    case 3:
      return opaque(3);
    case 4:
      return opaque(4);
    case 5:
      return opaque(5);
    default:
      break;
  }
#endif
  return n;
}

// How many of the eight bytes are digits before the first that is none.
//    "4711:480" 4   "node07:4" 0   "12345678" 8
inline size_t Digits(uint64_t word) { return Before(Outside(word, '0', '9')); }

// How many of the eight bytes come before the first digit.
//    "Channel " 8   "rank3 nr" 4   "12:00:03" 0
// Letters are all that is no digit, blanks and colons among them.
inline size_t Letters(uint64_t word) {
  const uint64_t digits = ~Outside(word, '0', '9') & kHighs;
  return digits == 0 ? 8 : Before(digits);
}

// The number that the first `digits` (1 to 7) bytes of the word spell, which must be digits. Pairs, then fours, then
// the eight are put together in three multiplications. Eight are not possible: nothing would be shifted away.
//    Decimal(Load("4711:480"), 4) is 4711
inline uint64_t Decimal(uint64_t word, size_t digits) {
  // What stands behind the digits is shifted out; the zero bytes that come in are zeros of the number. `& 0x0F` makes
  // values of digits.
  uint64_t v = (word << (64 - 8 * digits)) & (kOnes * 0x0F);  // zeros in front
  // Now each second byte holds a number of two digits, then each fourth one of four.
  v = (v * 10 + (v >> 8)) & 0x00FF00FF00FF00FFull;
  v = (v * 100 + (v >> 16)) & 0x0000FFFF0000FFFFull;
  return (v * 10000 + (v >> 32)) & 0xFFFFFFFF;
}

// How many of the sixteen bytes at `p` are digits before the first that is none; 16 when all are.
// At least sixteen bytes must be readable at `p`, whatever they are.
inline size_t DecimalDigits(const char* p) {
#if defined(__SSE2__)
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m128i digit = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
  // Unsigned comparison: c - '0' <= 9, as min(x, 9) == x.
  const __m128i decimal = _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
  return static_cast<size_t>(std::countr_one(static_cast<uint16_t>(_mm_movemask_epi8(decimal))));
#else
  const size_t n = Digits(Load(p));
  return n < 8 ? n : 8 + Digits(Load(p + 8));
#endif
}

// How many of the sixteen bytes at `p` are hexadecimal digits before the first that is none, of either case.
// Pointers of communicators and streams have up to sixteen:
//    comm 0x55d0c3a41b20 rank 3 nranks 8
inline size_t HexDigits(const char* p) {
#if defined(__SSE2__)
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m128i digit = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
  // With bit 5 set, 'A' and 'a' are one.
  const __m128i letter = _mm_sub_epi8(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
  const __m128i hex = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit),
                                   _mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(5)), letter));
  return static_cast<size_t>(std::countr_one(static_cast<uint16_t>(_mm_movemask_epi8(hex))));
#else
  const auto eight = [](const char* at) {
    const uint64_t word = Load(at);
    return Before(Outside(word, '0', '9') & Outside(word | kOnes * 0x20, 'a', 'f'));
  };
  const size_t n = eight(p);
  return n < 8 ? n : 8 + eight(p + 8);
#endif
}

// How many of the sixteen bytes at `p` stand in names of hosts, files and classes before the first that does not:
// letters, digits, `-`, `_` and `.`. At least sixteen bytes must be readable.
inline size_t NameBytes(const char* p) {
#if defined(__SSE2__)
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const auto within = [](__m128i from_first, char last) {
    return _mm_cmpeq_epi8(_mm_min_epu8(from_first, _mm_set1_epi8(last)), from_first);
  };
  const auto is = [&](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
  const __m128i digit = within(_mm_sub_epi8(bytes, _mm_set1_epi8('0')), 9);
  const __m128i letter = within(_mm_sub_epi8(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), _mm_set1_epi8('a')), 'z' - 'a');
  const __m128i sign = _mm_or_si128(is('_'), _mm_or_si128(is('-'), is('.')));
  const __m128i name = _mm_or_si128(sign, _mm_or_si128(digit, letter));
  return static_cast<size_t>(std::countr_one(static_cast<uint16_t>(_mm_movemask_epi8(name))));
#else
  const auto eight = [](const char* at) {
    const uint64_t word = Load(at);
    return Before(Outside(word, '0', '9') & Outside(word | kOnes * 0x20, 'a', 'z') & Outside(word, '-', '.') &
                  Outside(word, '_', '_'));
  };
  const size_t n = eight(p);
  return n < 8 ? n : 8 + eight(p + 8);
#endif
}

// Shorter texts would be read beyond their ends.
inline constexpr size_t kLeastSame = 16;

// Whether two texts of `size` bytes, at least kLeastSame, are equal. No byte behind either text is read.
// Any addresses. Like memcmp() == 0, without a call and without a loop for the rest.
inline bool Same(const char* a, const char* b, size_t size) {
#if defined(__SSE2__)
  const auto same = [&](size_t at) {
    return _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a + at)),
                          _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + at)));
  };
  // The last sixteen first, which may overlap those before: so no rest is left for a loop over bytes.
  __m128i all = same(size - 16);
  size_t at = 0;
  for (; at + 32 < size; at += 32) all = _mm_and_si128(all, _mm_and_si128(same(at), same(at + 16)));
  if (at + 16 < size) all = _mm_and_si128(all, same(at));
  return _mm_movemask_epi8(all) == 0xFFFF;
#else
  return std::memcmp(a, b, size) == 0;
#endif
}

// Whether these four bytes, the first one lowest, begin in the sixteen bytes at `p`; nineteen can be read. Two of the
// four decide nearly always.
//    HoldsFour(p, "NCCL"): may NCCL's name begin in the next sixteen bytes?
inline bool HoldsFour(const char* p, uint32_t four) {
#if defined(__SSE2__)
  const auto same = [&](int at) {
    return _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + at)),
                          _mm_set1_epi8(static_cast<char>(four >> (8 * at))));
  };
  const __m128i two = _mm_and_si128(same(0), same(1));
  // The first two bytes of the four stand together nowhere: nearly always.
  if (_mm_movemask_epi8(two) == 0) return false;
  return _mm_movemask_epi8(_mm_and_si128(two, _mm_and_si128(same(2), same(3)))) != 0;
#else
  bool holds = false;
  for (int i = 0; i < 12; ++i) holds = holds || static_cast<uint32_t>(Load(p + i)) == four;
  for (int i = 12; i < 16; ++i) holds = holds || static_cast<uint32_t>(Load(p + i - 4) >> 32) == four;
  return holds;
#endif
}

// Calls `found` with the place of each a, b and c of the text from `from` on, ascending. Reads nothing behind `size`.
// Sixteen bytes at a time where the machine has SSE2. `found` is called for no byte before `from`.
// What is looked for in lines byte by byte elsewhere: `<`, `&`, `[`.
template <typename Found>
void ForEachOf(const char* text, size_t from, size_t size, char a, char b, char c, Found found) {
#if defined(__SSE2__)
  const auto look = [&](size_t at, uint32_t of) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + at));
    const __m128i any =
        _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(a)),
                     _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(b)), _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c))));
    for (uint32_t hits = static_cast<uint32_t>(_mm_movemask_epi8(any)) & of; hits != 0; hits &= hits - 1) {
      found(at + static_cast<size_t>(std::countr_zero(hits)));
    }
  };
  size_t at = from;
  for (; at + 16 <= size; at += 16) look(at, 0xFFFF);
  if (at >= size) return;
  if (size >= 16) {  // the rest, with bytes in front of it that do not count
    look(size - 16, 0xFFFFu << (at + 16 - size));
    return;
  }
  from = at;
#endif
  for (size_t i = from; i < size; ++i) {
    if (text[i] == a || text[i] == b || text[i] == c) found(i);
  }
}

// The number that the first `digits` (1 to 8) of eight hexadecimal digits spell.
// Either case. A letter has bit 6 set and its low four bits one less than nine below its value: `a` is 0x61, 1 + 9 is
// 10.
inline uint64_t EightHex(uint64_t word, size_t digits) {
  word <<= 64 - 8 * digits;  // zeros in front
  uint64_t v = (word & (kOnes * 0x0F)) + 9 * ((word >> 6) & kOnes);
  v = (v << 4 | v >> 8) & 0x00FF00FF00FF00FFull;
  v = (v << 8 | v >> 16) & 0x0000FFFF0000FFFFull;
  return (v << 16 | v >> 32) & 0xFFFFFFFF;
}

// The number that `digits` (1 to 16) hexadecimal digits at `p` spell; sixteen bytes can be read.
//    Hexadecimal("55d0c3a41b20 rank", 12) is 0x55d0c3a41b20
inline uint64_t Hexadecimal(const char* p, size_t digits) {
  if (digits <= 8) return EightHex(Load(p), digits);
  return EightHex(Load(p), 8) << (4 * (digits - 8)) | EightHex(Load(p + 8), digits - 8);
}

}  // namespace ncclwhy::swar

#include "parser/line_breaks.h"

#include <bit>
#include <cstring>

#include "base/avx2.h"

namespace ncclwhy {
namespace {

// One byte into the masks of its block; the slow way, for words in which something is and for the tail.
void FindByte(unsigned char c, size_t i, BreakBlock& block) {
  block.newlines |= uint64_t{c == '\n'} << i;
  block.high = block.high || c >= 0x80;
  block.control = block.control || (c < 0x20 && c != '\n');
}

// Eight bytes at a time, for any processor.
void FindPortably(const char* text, size_t blocks, BreakBlock* out) {
  constexpr uint64_t kOnes = 0x0101010101010101ull;
  constexpr uint64_t kHighs = kOnes << 7;
  for (; blocks > 0; --blocks, text += kBreakBlock, ++out) {
    BreakBlock block;
    for (size_t at = 0; at < kBreakBlock; at += 8) {
      uint64_t word = 0;
      std::memcpy(&word, text + at, sizeof word);
      // A word without a byte below the blank or above 127 has nothing to tell.
      if (((word | (word - kOnes * 0x20)) & kHighs) == 0) continue;
      for (size_t i = 0; i < 8; ++i) FindByte(static_cast<unsigned char>(text[at + i]), at + i, block);
    }
    *out = block;
  }
}

#ifdef NCCLWHY_AVX2
// The newlines are among the bytes below the blank: a block has others where the two masks differ.
[[gnu::target("avx2")]] void FindWithAvx2(const char* text, size_t blocks, BreakBlock* out) {
  const __m256i newline = _mm256_set1_epi8('\n');
  const __m256i last_control = _mm256_set1_epi8(0x1F);
  for (; blocks > 0; --blocks, text += kBreakBlock, ++out) {
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + 32));
    const auto low = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, newline)));
    const auto high = static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(b, newline)));
    out->newlines = low | uint64_t{high} << 32;
    out->high = _mm256_movemask_epi8(_mm256_or_si256(a, b)) != 0;
    const __m256i control_a = _mm256_cmpeq_epi8(_mm256_min_epu8(a, last_control), a);
    const __m256i control_b = _mm256_cmpeq_epi8(_mm256_min_epu8(b, last_control), b);
    out->control = static_cast<uint32_t>(_mm256_movemask_epi8(control_a)) != low ||
                   static_cast<uint32_t>(_mm256_movemask_epi8(control_b)) != high;
  }
}
#endif

}  // namespace

void FindLineBreaks(const char* text, size_t blocks, BreakBlock* out) {
#ifdef NCCLWHY_AVX2
  // Asked once for all blocks, not for each: the answer is cached, and the loop stays inside one function.
  if (HasAvx2()) return FindWithAvx2(text, blocks, out);
#endif
  FindPortably(text, blocks, out);
}

BreakBlock FindLineBreaksInTail(const char* text, size_t size) {
  BreakBlock block;
  for (size_t i = 0; i < size; ++i) FindByte(static_cast<unsigned char>(text[i]), i, block);
  return block;
}

}  // namespace ncclwhy

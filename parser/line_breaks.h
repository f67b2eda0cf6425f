// FindLineBreaks: where lines end in a buffer, and which parts of it hold bytes that plain text has not. One pass with
// the widest vectors that the processor has; a search for each line begins anew and asks for one byte only.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ncclwhy {

// Bits of a word, and the bytes of a cache line.
inline constexpr size_t kBreakBlock = 64;

struct BreakBlock {
  uint64_t newlines = 0;  // bit i: byte i is \n
  bool high = false;      // a byte is not ASCII
  bool control = false;   // a byte below the blank is none of the newlines
};

// Looks at `blocks` times kBreakBlock bytes, no byte more; `out` has room for as many. Needs no alignment. The answers
// are the same on every processor: with AVX2 it is only faster.
void FindLineBreaks(const char* text, size_t blocks, BreakBlock* out);

// The same for the last, partial block: `size` bytes, less than kBreakBlock.
BreakBlock FindLineBreaksInTail(const char* text, size_t size);

}  // namespace ncclwhy

// Skeleton: a text without its numbers, for lines that differ in nothing else:
//   sendProxy [364/4] request 0x7f0000006b00 done   →   sendProxy [D/D] request 0xH done
// D and H are bytes that no printable text holds. A number has no letter beside it: `mlx5_0`, `P2P` and `12ms` are
// words. What is true of a shape is true of every text that has it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ncclwhy::skeleton {

inline constexpr char kDecimal = '\x01';  // 1 to kMostDigits decimal digits
inline constexpr char kHex = '\x02';      // 1 to kMostHexDigits hexadecimal digits behind 0x, of either case
inline constexpr size_t kMostDigits = 15;
inline constexpr size_t kMostHexDigits = 16;
// Numbers, and bytes beside them, of a text that has a shape. The longest such text is below 512 bytes.
inline constexpr size_t kMostNumbers = 16;
inline constexpr size_t kMostBytes = 192;

inline bool IsNumber(char c) { return c == kDecimal || c == kHex; }
// Whether the number at `number` of a shape may hold this digit.
inline bool MayHold(char number, char digit) {
  const auto lower = static_cast<char>(digit | 0x20);
  return (digit >= '0' && digit <= '9') || (number == kHex && lower >= 'a' && lower <= 'f');
}

// Appends the shape of `text`. False: it has none, being empty, not printable ASCII, or too long; what was appended
// until then stays.
bool Append(std::string_view text, std::string* shape);

// The text that has these digits for its numbers, so many of each: Fill("rank \1", '9', 3, 'f', 1) is "rank 999". For
// trying out what smallest and largest numbers do.
std::string Fill(std::string_view shape, char decimal, size_t decimals, char hex, size_t hexes);

}  // namespace ncclwhy::skeleton

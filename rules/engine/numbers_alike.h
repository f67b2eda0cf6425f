// Whether a regex says the same of all texts of a shape (parser/line_shape.h), whatever their numbers are: so it does
// not have to be asked again and again in a storm.
//   `Connection closed by .*peer (?P<host>\S+)<(?P<port>\d+)>`   yes
//   `status[= ]12\b`   `len=\d{4,}`                               no
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

enum class NumbersAlike : uint8_t {
  kNo,        // or not known
  kDecimals,  // where a shape has no hexadecimal numbers
  kAll,
};

// Reads the regex as far as it knows its syntax; kNo is always a right answer.
// Costs as much as some lines, so it is asked once for a pattern (PatternTable::Alike).
NumbersAlike NumbersAlikeOf(std::string_view regex);

// The numbers that a regex names, each as a whole: of all texts of a shape that have the same of these in the same
// places, and others in the others, it says the same. Nothing where that is not known.
//   `status=(?:12|5)\b`   12, 5          `of \d{1,12} bytes`   lengths          `status=12`   not known: 129 begins so, too
struct NumbersNamed {
  std::vector<std::string> numbers;
  bool lengths = false;  // and the others have as many digits
  uint64_t signs = 0;    // SignOf those

  // `number` has at least one byte.
  // Most numbers differ from all of them in length or first digit.
  static uint64_t SignOf(std::string_view number) {
    return uint64_t{1} << (std::min(number.size(), size_t{4}) % 4 * 16 + static_cast<size_t>(number[0] & 15));
  }
  bool MayName(std::string_view number) const { return (signs & SignOf(number)) != 0; }
};
// Where NumbersAlikeOf says kNo, this may still tell which few numbers decide.
std::optional<NumbersNamed> NumbersNamedBy(std::string_view regex);

// Whether a part of `literal` may be a part of a number: kAll for "P2P" or "failed", which stand in all texts of a
// shape or in none; kDecimals for "bad", kNo for "status 12".
NumbersAlike LiteralAlike(std::string_view literal);
// Where the first word begins that may be a part of a number, or its size.
//    "status 12 of" 7     "failed" 6
size_t FirstNumberOf(std::string_view literal);
// The longest piece of `literal` of which no part may be; may be empty.
//    "with status 12"     "with status "
std::string_view PieceWithoutNumber(std::string_view literal);

}  // namespace ncclwhy

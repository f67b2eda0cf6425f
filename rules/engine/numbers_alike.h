// Whether a regex says the same of all texts of a shape (parser/line_shape.h), whatever their numbers are: so it does
// not have to be asked again and again in a storm.
//   `Connection closed by .*peer (?P<host>\S+)<(?P<port>\d+)>`   yes
//   `status[= ]12\b`   `len=\d{4,}`                               no
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ncclwhy {

enum class NumbersAlike : uint8_t {
  kNo,        // or not known
  kDecimals,  // where a shape has no hexadecimal numbers
  kAll,
};

// Reads the regex as far as it knows its syntax; kNo is always a right answer.
// Costs as much as some lines, so it is asked once for a pattern (PatternTable::Alike).
NumbersAlike NumbersAlikeOf(std::string_view regex);

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

// LineShape: a text without its numbers, fast enough for every line. What was found out about one line of a kind holds
// for the others, whoever wrote them:
//   with status=12 opcode=129 len=0 localGid fe80::1b comm 0x5616a8c0   →   with status=D opcode=D len=D localGid H::H comm 0xH
// D and H are those of parser/skeleton.h. Here a word of hexadecimal digits is a number, too, if it has one of 0 to 9
// and one of a to f, or stands behind a colon: `::ab`; and so are the digits that a word begins with: `45it`, `12ms`.
// In front of a number no letter, digit or _ stands, but the x of an 0x: `mlx5_0` and `P2P` are words.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

// Where a number of a text stands: [begin, end), as offsets into the text. LineShape::kLongest bounds it, so sixteen
// bits are enough.
struct NumberPlace {
  uint16_t begin = 0;
  uint16_t end = 0;
};

// Not thread-safe: it answers out of its own room. Reads each text once, sixteen bytes at a time.
class LineShape {
 public:
  static constexpr size_t kShortest = 4;
  static constexpr size_t kLongest = 512;

  // The shape of `text`, valid until the next call; empty when it has none, being too short or long or having bytes
  // that mean something in a shape (\x01, \x02).
  std::string_view Of(std::string_view text);
  // Those of the latest text, one for each mark in its shape, ascending. Of a number with 0x its digits only.
  std::span<const NumberPlace> numbers() const { return numbers_; }

 private:
  static constexpr size_t kBlock = 64;
  // Four masks for all bytes of the text: where numbers begin follows from shifts of them, without a look at each byte.
  using Bits = std::array<uint64_t, kLongest / kBlock + 1>;  // a bit for each byte; nothing in the last one

  static constexpr size_t kRoom = kLongest + sizeof(uint64_t);
  struct Number {
    size_t size = 0;  // 0: there is none
    char mark = 0;
  };

  // How many bits in a row from `at` on, at most 64.
  static size_t Run(const Bits& bits, size_t at);
  // The number that begins at `at`, if one does.
  Number NumberAt(std::string_view text, size_t at) const;
  // False: a byte that a shape cannot have.
  bool Classify(std::string_view text);

  Bits hex_, decimal_, word_, x_;
  std::string room_;
  std::vector<NumberPlace> numbers_;
};

}  // namespace ncclwhy

#include "parser/line_breaks.h"

#include <random>
#include <string>
#include <vector>

#include "base/swar.h"
#include "catch.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

TEST_CASE("whole blocks and tails agree on where lines end", "[line_breaks]") {
  std::mt19937 random(7);
  for (const std::mt19937::result_type kinds : {4u, 64u, 256u}) {
    std::string text(64 * 40, 'x');
    for (char& c : text) {
      const auto value = random() % kinds;
      c = value == 0 ? '\n' : static_cast<char>(kinds == 4 ? 'a' + value : value * (256 / kinds));
    }
    std::vector<BreakBlock> blocks(40);
    FindLineBreaks(text.data(), blocks.size(), blocks.data());
    for (size_t i = 0; i < blocks.size(); ++i) {
      const BreakBlock expected = FindLineBreaksInTail(text.data() + 64 * i, 64);
      CHECK(blocks[i].newlines == expected.newlines);
      CHECK(blocks[i].high == expected.high);
      CHECK(blocks[i].control == expected.control);
    }
  }
}

TEST_CASE("numbers of every length are read as a loop would read them", "[runs]") {
  for (const char* rest : {"", " ", ",rest of the line is longer than a word"}) {
    std::string digits;
    for (int n = 1; n <= 19; ++n) {
      digits += static_cast<char>('0' + (n * 7) % 10);
      const std::string text = digits + rest;
      scan::Cursor decimal(text);
      uint64_t value = 0;
      REQUIRE(decimal.Uint(&value));
      CHECK(value == std::stoull(digits));
      CHECK(decimal.Rest() == rest);
      if (n > 16) continue;
      scan::Cursor hex(text);
      REQUIRE(hex.Hex(&value));
      CHECK(value == std::stoull(digits, nullptr, 16));
      CHECK(hex.Rest() == rest);
    }
  }
  uint64_t value = 0;
  CHECK(!scan::Cursor("no digits here at all").Uint(&value));
  scan::Cursor mixed("0xdeadBEEF stream 0x5");
  REQUIRE(mixed.Hex(&value));
  CHECK(value == 0xdeadbeef);
  CHECK(mixed.Rest() == " stream 0x5");
}

}  // namespace
}  // namespace ncclwhy

#include "parser/line_shape.h"

#include <random>
#include <string>

#include "catch.h"
#include "parser/scan.h"
#include "parser/skeleton.h"

namespace ncclwhy {
namespace {

// D and H for the bytes of a shape.
std::string Of(std::string_view text) {
  LineShape shapes;
  std::string shape(shapes.Of(text));
  for (char& c : shape) c = c == skeleton::kDecimal ? 'D' : c == skeleton::kHex ? 'H' : c;
  return shape;
}

TEST_CASE("the shape of a line", "[parser]") {
  CHECK(Of("with status=12 len=0") == "with status=D len=D");
  CHECK(Of("mlx5_0 P2P 12ms node003 3.45it/s 1E+05") == "mlx5_0 P2P Dms node003 D.Dit/s DE+D");
  CHECK(Of("localGid fe80::1b:12") == "localGid H::H:D");
  CHECK(Of("GID ::ab:bad: add") == "GID ::H:H: add");
  CHECK(Of("comm 0x5616a8c0 0xdead 0x12 bad") == "comm 0xH 0xH 0xH bad");
  CHECK(Of("0x 0xg 1x1f 10x1f x1f") == "0x 0xg 1x1f 10x1f x1f");
  CHECK(Of("1.5 -3 [7/8]") == "D.D -D [D/D]");
  CHECK(Of("12345678901234567 123456789012345") == "12345678901234567 D");
  CHECK(Of("0123456789abcdef 0123456789abcdef0") == "H Dabcdef0");
  CHECK(Of("FE80 1B") == "FE80 DB");
  CHECK(Of("第 17 步") == "第 D 步");
  CHECK(Of("17").empty());
  CHECK(Of("a\x01 17").empty());
  CHECK(Of(std::string(513, 'a')).empty());
}

// Letter by letter.
std::string Slowly(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (!scan::IsIdentifierChar(text[at])) {
      out.push_back(text[at++]);
      continue;
    }
    size_t end = at;
    while (end < text.size() && scan::IsIdentifierChar(text[end])) ++end;
    std::string_view word = text.substr(at, end - at);
    const bool of_address = at > 0 && text[at - 1] == ':';
    at = end;
    const bool prefixed = word.size() > 2 && word.substr(0, 2) == "0x";
    const std::string_view digits = prefixed ? word.substr(2) : word;
    size_t decimals = 0, letters = 0;
    for (const char c : digits) {
      decimals += scan::IsDigit(c) ? 1 : 0;
      letters += c >= 'a' && c <= 'f' ? 1 : 0;
    }
    const bool hex = decimals + letters == digits.size() && digits.size() <= 16;
    if (prefixed && hex) {
      out += "0xH";
    } else if (!prefixed && hex && letters == 0 && digits.size() <= 15) {
      out += 'D';
    } else if (!prefixed && hex && letters > 0 && (decimals > 0 || of_address)) {
      out += 'H';
    } else if (size_t n = scan::DigitsAt(word, 0); n > 0 && n <= 15 && n < word.size() && word[n] != 'x') {
      out += 'D' + std::string(word.substr(n));
    } else {
      out += word;
    }
  }
  return out;
}

TEST_CASE("a shape is the same sixteen bytes at a time", "[parser]") {
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    const size_t size = 4 + random() % 300;
    const std::string_view letters = round % 2 == 0 ? "0123456789abcdefx  g_:A" : "0x1af ";
    while (text.size() < size) text.push_back(letters[random() % letters.size()]);
    INFO(text);
    REQUIRE(Of(text) == Slowly(text));
  }
}

}  // namespace
}  // namespace ncclwhy

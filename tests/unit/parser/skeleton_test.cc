#include "parser/skeleton.h"

#include <algorithm>
#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

// The shape with D and H for its numbers, or "none".
std::string ShapeOf(std::string_view text) {
  std::string shape;
  if (!skeleton::Append(text, &shape)) return "none";
  std::replace(shape.begin(), shape.end(), skeleton::kDecimal, 'D');
  std::replace(shape.begin(), shape.end(), skeleton::kHex, 'H');
  return shape;
}

TEST_CASE("a shape has no numbers, but words with digits", "[parser]") {
  const struct {
    const char* text;
    const char* shape;
  } kCases[] = {
      {"sendProxy [364/4] request 0x7f0000006b00 done", "sendProxy [D/D] request 0xH done"},
      {"12 of -3: 1.5e3, 4", "D of -D: D.5e3, D"},
      {"mlx5_0 P2P 12ms x9", "mlx5_0 P2P 12ms x9"},
      {"0x 0xz 0x1g 10x20 00x1 0xDEADbeef", "0x 0xz 0x1g 10x20 00x1 0xH"},
      {"count 123456789012345", "count D"},
      {"count 1234567890123456", "count 1234567890123456"},  // longer than any counter
      {"at 0x0123456789abcdef", "at 0xH"},
      {"at 0x0123456789abcdef0", "at 0x0123456789abcdef0"},
      {"7", "D"},
      {"", "none"},
      {"tab\there", "none"},
      {"caf\xC3\xA9 1", "none"},
      {"D \x01", "none"},
  };
  for (const auto& c : kCases) {
    INFO(c.text);
    CHECK(ShapeOf(c.text) == c.shape);
  }
}

TEST_CASE("what is long has no shape", "[parser]") {
  CHECK(ShapeOf(std::string(skeleton::kMostBytes, 'x')) != "none");
  CHECK(ShapeOf(std::string(skeleton::kMostBytes + 1, 'x')) == "none");
  std::string numbers;
  for (size_t i = 0; i < skeleton::kMostNumbers; ++i) numbers += " 1";
  CHECK(ShapeOf(numbers) != "none");
  CHECK(ShapeOf(numbers + " 1") == "none");
}

TEST_CASE("a filled shape has that shape", "[parser]") {
  std::string shape;
  REQUIRE(skeleton::Append("recvProxy [25/1/0] at 0x7f, size 65536", &shape));
  CHECK(skeleton::Fill(shape, '9', 3, 'f', 2) == "recvProxy [999/999/999] at 0xff, size 999");
  std::string again;
  REQUIRE(skeleton::Append(skeleton::Fill(shape, '0', skeleton::kMostDigits, 'a', skeleton::kMostHexDigits), &again));
  CHECK(again == shape);
}

}  // namespace
}  // namespace ncclwhy

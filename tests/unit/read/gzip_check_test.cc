#include "read/gzip_check.h"

#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

std::string Little(uint32_t value) {
  std::string out;
  for (int i = 0; i < 4; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
  return out;
}

// As gzip frames it; what stands between is not looked at.
std::string Member(const std::string& text, uint32_t wrong = 0) {
  return std::string("\x1F\x8B\x08\0\0\0\0\0\0\x03", 10) + "deflated" + Little(Crc32(0, text) ^ wrong) +
         Little(static_cast<uint32_t>(text.size()));
}

bool Fits(const std::string& packed, const std::string& text, size_t step) {
  GzipCheck check;
  for (size_t at = 0; at < packed.size(); at += step) check.In(std::string_view(packed).substr(at, step));
  for (size_t at = 0; at < text.size(); at += step) check.Out(std::string_view(text).substr(at, step));
  return check.Fits();
}

}  // namespace

TEST_CASE("the sum of gzip", "[gzip]") {
  CHECK(Crc32(0, "123456789") == 0xCBF43926u);
  CHECK(Crc32(Crc32(0, "12345"), "6789") == 0xCBF43926u);
}

TEST_CASE("a trailer that comes in behind all of its member", "[gzip]") {
  const std::string first = Member("one line\n"), second = Member("another\n");
  GzipCheck check;
  check.In(std::string_view(first).substr(0, first.size() - 8));
  check.Out("one line\n");
  check.In(first.substr(first.size() - 8) + second);
  check.Out("another\n");
  CHECK(check.Fits());
}

TEST_CASE("a stream of members fits, in any pieces, and does not when one of them is damaged", "[gzip]") {
  const std::string a(3000, 'a'), b = "one line\n";
  for (const size_t step : {1, 7, 11, 4096}) {
    CHECK(Fits(Member(a), a, step));
    CHECK(Fits(Member(a) + Member(b) + Member(b) + Member(b) + Member(a), a + b + b + b + a, step));
    CHECK(Fits(Member("") + Member(b) + Member(""), b, step));
    CHECK(Fits(Member(b) + std::string(9000, '\0'), b, step));
    CHECK_FALSE(Fits(Member(a, 1), a, step));
    CHECK_FALSE(Fits(Member(a, 1) + Member(b), a + b, step));
    CHECK_FALSE(Fits(Member(a) + Member(b, 4), a + b, step));
    CHECK_FALSE(Fits(Member(a), a + b, step));
  }
}

}  // namespace ncclwhy

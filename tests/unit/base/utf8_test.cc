#include "base/utf8.h"

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("bytes that are not UTF-8 become visible escapes", "[base]") {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"plain", "plain"},
      {"空间不足", "空间不足"},
      {"a\xff\xfe", "a\\xff\\xfe"},
      {"\xc0\xaf", "\\xc0\\xaf"},                    // overlong /
      {"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},           // overlong in three bytes
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // surrogate
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // above U+10FFFF
      {"cut \xe7\xa9", "cut \\xe7\\xa9"},            // a character that the line's end cut
      {"\x80", "\\x80"},
      {"", ""},
  };
  for (const auto& [input, expected] : cases) {
    CAPTURE(expected);
    CHECK(SanitizeUtf8(input) == expected);
    CHECK(SanitizeUtf8(SanitizeUtf8(input)) == expected);
  }
}

TEST_CASE("every code point survives encoding and decoding", "[base]") {
  for (const char32_t c : {U'\0', U'a', U'\x7f', U'\x80', U'\x7ff', U'\x800', U'\xffff', U'\x10000', U'\x10ffff'}) {
    std::string text;
    AppendUtf8(c, &text);
    char32_t back = 0xDEAD;
    CHECK(DecodeUtf8(text, &back) == text.size());
    CHECK(back == c);
  }
}

TEST_CASE("width counts columns, not bytes", "[base]") {
  CHECK(DisplayWidth("abc") == 3);
  CHECK(DisplayWidth("失败") == 4);
  CHECK(DisplayWidth("e\xcc\x81") == 1);  // e and a combining accent
  CHECK(DisplayWidth("，") == 2);
  CHECK(DisplayWidth("\xff") == 1);
}

TEST_CASE("a prefix never cuts a character", "[base]") {
  CHECK(PrefixOfWidth("失败了", 5) == "失败");
  CHECK(PrefixOfWidth("失败了", 1).empty());
  CHECK(PrefixOfWidth("abc", 2) == "ab");
  CHECK(PrefixOfWidth("abc", 9) == "abc");
}

}  // namespace
}  // namespace ncclwhy

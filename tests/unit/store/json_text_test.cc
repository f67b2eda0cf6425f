#include "store/json_text.h"

#include "catch.h"

namespace ncclwhy {
namespace {

std::string Value(std::string_view text) {
  std::string out;
  AppendJsonValue(text, &out);
  return out;
}

TEST_CASE("plain integers are numbers, all else is text", "[store]") {
  const struct {
    std::string_view text;
    const char* json;
  } kCases[] = {{"12", "12"},
                {"-1", "-1"},
                {"0", "0"},
                {"-0", "\"-0\""},
                {"007", "\"007\""},
                {"0x1f", "\"0x1f\""},
                {"1.5", "\"1.5\""},
                {"", "\"\""},
                {"-", "\"-\""},
                {"999999999999999999", "999999999999999999"},
                {"18446744073709551615", "\"18446744073709551615\""},
                {"a\"b\\c", "\"a\\\"b\\\\c\""},
                {"tab\there", "\"tab\\u0009here\""},
                {"\xe4\xb8\xad", "\"\xe4\xb8\xad\""},
                {"\xff", "\"\\\\xff\""}};
  for (const auto& c : kCases) {
    INFO(c.text);
    CHECK(Value(c.text) == c.json);
  }
}

}  // namespace
}  // namespace ncclwhy

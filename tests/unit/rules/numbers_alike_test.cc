#include "rules/engine/numbers_alike.h"

#include <random>
#include <string>

#include "base/re2_call.h"
#include "catch.h"
#include "parser/line_shape.h"
#include "parser/skeleton.h"
#include "rules/engine/pattern_regex.h"
#include "rules/engine/pattern_table.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {
namespace {

TEST_CASE("whether numbers are all the same to a regex", "[rules]") {
  for (const char* regex : {"closed by (?P<host>\\S+)<(?P<port>\\d+)", "0x[0-9a-f]+ of \\w+", "", "a b",
                            "(?:NET|P2P) .* x$", "(?:\\S+ ){3}end", "[^,]*,[^\\n]+"}) {
    INFO(regex);
    CHECK(NumbersAlikeOf(regex) != NumbersAlike::kNo);
  }
  CHECK(NumbersAlikeOf("len \\S+ of \\w*") == NumbersAlike::kAll);
  CHECK(NumbersAlikeOf("len (\\d+) of") == NumbersAlike::kAll);
  CHECK(NumbersAlikeOf("len(\\d+) of") == NumbersAlike::kDecimals);
  CHECK(NumbersAlikeOf("a bad one") == NumbersAlike::kDecimals);
  for (const char* regex : {"status 12\\b",
                            "len \\d{4,}",
                            "len \\d",
                            "a.{0,60}b",
                            "\\d+\\w+",
                            "(?:\\d+)+",
                            "x?\\d+y?\\d+",
                            "[1-5]+",
                            "(?i)abc",
                            "[[:digit:]]+",
                            "\\x31",
                            "\\B",
                            "[",
                            "a**",
                            "(",
                            ")",
                            "\\d+|12",
                            "(?:a|\\d+)\\S+",
                            "12\\n34",
                            "12ms"}) {
    INFO(regex);
    CHECK(NumbersAlikeOf(regex) == NumbersAlike::kNo);
  }
}

TEST_CASE("literals of which a number may be a part", "[rules]") {
  for (const char* literal : {"status 12", "12ms left", "1", "10d of"}) {
    INFO(literal);
    CHECK(LiteralAlike(literal) == NumbersAlike::kNo);
  }
  for (const char* literal : {"bad address", "c10d", "0x1", "a", "is 0x1f of"}) {
    INFO(literal);
    CHECK(LiteralAlike(literal) == NumbersAlike::kDecimals);
  }
  for (const char* literal : {"P2P", "failed", "mlx5_0", " : ", "0x", "ms left"}) {
    INFO(literal);
    CHECK(LiteralAlike(literal) == NumbersAlike::kAll);
  }
  CHECK(PieceWithoutNumber("status 12 of x") == "status ");
  CHECK(PieceWithoutNumber("c10d").empty());
}

std::string WithNumbers(std::string_view shape, std::mt19937& random) {
  std::string text;
  for (const char c : shape) {
    if (!skeleton::IsNumber(c)) {
      text.push_back(c);
      continue;
    }
    const bool hex = c == skeleton::kHex;
    const bool letters = hex && !text.ends_with("0x");  // without that in front it has digits and letters
    const size_t most = letters ? skeleton::kMostHexDigits - 2 : hex ? skeleton::kMostHexDigits : skeleton::kMostDigits;
    if (letters) text += "1b";
    for (size_t n = 1 + random() % (random() % 2 == 0 ? 2 : most); n > 0; --n) {
      text.push_back("0123456789abcdef"[random() % (hex ? 16 : 10)]);
    }
  }
  return text;
}

// Of every rule: a text that has its literal, numbers of all kinds beside it.
TEST_CASE("what is said of a regex is true of all texts of a shape", "[rules]") {
  const RuleSet& rules = RuleSet::Embedded();
  const PatternTable patterns(rules.rules());
  std::mt19937 random(16);
  size_t alike = 0, with_regex = 0;
  LineShape shapes;
  for (uint32_t number = 0; number < patterns.size(); ++number) {
    const LinePattern& pattern = *patterns.entry(number).pattern;
    if (pattern.regex.empty()) continue;
    ++with_regex;
    const NumbersAlike said = patterns.Alike(number);
    if (said == NumbersAlike::kNo) continue;
    ++alike;
    const RE2& regex = *patterns.Compiled(number).regex;
    const std::string number_of = said == NumbersAlike::kAll ? "0x7f:1b=12 " : "17 12:3 ";
    std::string line = number_of;
    for (const std::string& text : patterns.Texts(number).required) line += text + number_of;
    for (const std::string_view literal : pattern.literals) line += std::string(literal) + " " + number_of;
    const std::string shape(shapes.Of(line.substr(0, LineShape::kLongest)));
    if (shape.empty()) continue;
    INFO(pattern.regex);
    const auto matches = [&](const std::string& text) {
      return InRe2([&] { return RE2::PartialMatch(ToRe2(text), regex); });
    };
    const bool first = matches(WithNumbers(shape, random));
    for (int round = 0; round < 32; ++round) {
      const std::string text = WithNumbers(shape, random);
      INFO(text);
      REQUIRE(matches(text) == first);
    }
  }
  WARN(alike << " of " << with_regex);
  CHECK(alike * 100 > with_regex * 40);
}

}  // namespace
}  // namespace ncclwhy

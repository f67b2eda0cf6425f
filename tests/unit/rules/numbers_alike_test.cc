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

TEST_CASE("a regex names numbers as a whole or it is not known", "[rules]") {
  using Named = std::vector<std::string>;
  const auto numbers = [](std::string_view regex) {
    const auto named = NumbersNamedBy(regex);
    return named.has_value() && !named->lengths ? named->numbers : Named{"not known"};
  };
  CHECK(numbers(R"(with (?:error |status=)(?P<status>12)\b,?(?:.*?err (?P<err>\d+))?)") == Named{"12"});
  CHECK(numbers(R"(status=(?:\w+\()?(?:12|5)\b)") == Named{"12", "5"});
  // Digits between what is none are no hexadecimal number.
  CHECK(numbers(R"(from (?P<peer>[^ <]+)(?:<\d+>)? with 12\b)") == Named{"12"});
  CHECK_FALSE(NumbersNamedBy(R"(from (?P<peer>[^ <]+)(?:<\d+)?\w* with 12\b)").has_value());
  // What may be missing at the end decides nothing; in the middle it does.
  CHECK(numbers(R"(at (?P<where>\w*)( of (?:3|[45]))*)") == Named{});
  CHECK_FALSE(NumbersNamedBy(R"(x[\d)] of(?: [45])? err)").has_value());
  CHECK_FALSE(NumbersNamedBy(R"(=12\.?ab(?:c))").has_value());
  CHECK(numbers(R"(=12 (?:[\])(] y)?)") == Named{"12"});
  CHECK(numbers("signal 9 |code: 137$") == Named{"137", "9"});
  CHECK(numbers(R"(closed by (?P<peer>\S+))") == Named{});
  const auto size = NumbersNamedBy(R"(alloc (?P<size>\d{1,12}) bytes)");
  CHECK((size.has_value() && size->lengths && size->numbers.empty()));
  CHECK_FALSE(NumbersNamedBy(R"(alloc\d{1,12} bytes)").has_value());
  CHECK_FALSE(NumbersNamedBy(R"(alloc \d{1,12})").has_value());
  // Of 129 the first digits are 12 as well, and of 812 the last ones.
  for (const char* regex : {"status=12", R"(status=12,?\w*)", R"(\w+12\b)", R"(.*12\b)", R"(=1[25]\b)",
                            R"(=(?:12)?5\b)", R"(=12\d*\b)", "status=12(?: done)?", R"((?:x|=)12\b)"}) {
    INFO(regex);
    CHECK_FALSE(NumbersNamedBy(regex).has_value());
  }
}

// Of every rule whose regex names numbers: texts with these and others in the same places.
TEST_CASE("what a regex says hangs on the numbers that it names", "[rules]") {
  const PatternTable patterns(RuleSet::Embedded().rules());
  std::mt19937 random(17);
  size_t named_by = 0, matched = 0;
  for (uint32_t number = 0; number < patterns.size(); ++number) {
    const LinePattern& pattern = *patterns.entry(number).pattern;
    if (pattern.regex.empty() || patterns.Alike(number) == NumbersAlike::kAll) continue;
    const PatternTable::Named& named = patterns.NumbersNamed(number);
    if (!named.has_value() || named->numbers.empty()) continue;
    ++named_by;
    const RE2& regex = *patterns.Compiled(number).regex;
    std::vector<std::string> pieces;
    for (const std::string& text : patterns.Texts(number).required) pieces.push_back(text);
    for (const std::string_view literal : pattern.literals) pieces.push_back(std::string(PieceWithoutNumber(literal)));
    pieces.insert(pieces.end(), {" ", "=", "status=", " error ", "code: ", " (", "signal "});
    const auto other = [&](size_t digits) {
      for (;;) {
        std::string text;
        const size_t size = named->lengths ? digits : 1 + random() % (random() % 2 == 0 ? 2 : 8);
        while (text.size() < size) text.push_back(static_cast<char>('0' + random() % 10));
        if (std::find(named->numbers.begin(), named->numbers.end(), text) == named->numbers.end()) return text;
      }
    };
    INFO(pattern.regex);
    for (int round = 0; round < 40; ++round) {
      struct Part {
        std::string piece, number;  // the named number behind it, or none
        size_t digits;              // of another
      };
      std::vector<Part> parts;
      for (size_t n = 2 + random() % 8; n > 0; --n) {
        const bool any = random() % 2 == 0;
        parts.push_back({pieces[random() % pieces.size()],
                         any ? std::string() : named->numbers[random() % named->numbers.size()], 2 + random() % 14});
      }
      const auto text_of = [&] {
        std::string text;
        for (const Part& p : parts) text += p.piece + (p.number.empty() ? other(p.digits) : p.number) + " ";
        return text;
      };
      const auto matches = [&](const std::string& text) {
        return InRe2([&] { return RE2::PartialMatch(ToRe2(text), regex); });
      };
      const std::string one = text_of(), another = text_of();
      INFO(one);
      INFO(another);
      matched += matches(one) ? 1 : 0;
      REQUIRE(matches(one) == matches(another));
    }
  }
  CHECK(named_by > 10);
  CHECK(matched > 0);
}

}  // namespace
}  // namespace ncclwhy

#include "rules/engine/regex_over_kind.h"

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/re2_call.h"
#include "catch.h"
#include "parser/line_shape.h"
#include "parser/skeleton.h"
#include "rules/engine/pattern_regex.h"
#include "rules/engine/pattern_table.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {
namespace {

using Says = RegexOverKind::Says;

constexpr size_t kLongest = 100'000;

Says OfShapeOf(std::string_view regex, std::string_view line) {
  LineShape shapes;
  std::optional<RegexNfa> nfa = NfaOf(regex, kLongest);
  REQUIRE(nfa.has_value());
  return RegexOverKind(*std::move(nfa)).OfShape(shapes.Of(line));
}

TEST_CASE("a regex is followed through all lines of a shape", "[rules]") {
  struct {
    const char* regex;
    const char* line;
    Says says;
  } const cases[] = {
      {R"(closed by peer \[(?P<peer>[^\]]+)\]:(?P<port>\d+))", "Connection closed by peer [10.1.2.3]:4711", Says::kYes},
      {R"(closed by peer \[(?P<peer>[^\]]+)\]:(?P<port>\d{4,}))", "Connection closed by peer [10.1.2.3]:4711",
       Says::kDepends},
      {R"(^(?:[^W\[\n]|W[^\d \n])[^\n]*?\bQPs?\b)", "recvValue failed on fd 12", Says::kNo},
      {R"(fd \d{1,15}$)", "recvValue failed on fd 12", Says::kYes},
      {R"(fd \d{1,14}$)", "recvValue failed on fd 12", Says::kDepends},
      {R"(fd (?:12|5)\b)", "recvValue failed on fd 12", Says::kDepends},
      {R"(fd (?:12|5)\b)", "recvValue failed on id 12", Says::kNo},
      {R"(fd [0-9a-fA-F]+$)", "recvValue failed on fd 1f", Says::kYes},
      {R"(fd [0-9a-f]+$)", "recvValue failed on fd 1f", Says::kDepends},
      {R"(\bfailed\B)", "recvValue failed on fd 12", Says::kNo},
      {R"(on fd \d+(?:: (?P<text>.{0,160}).*)?$)", "failed on fd 12: Broken pipe", Says::kYes},
      {R"(\d$)", "12ms", Says::kNo},
      {R"([^\x00-\x7F])", "fd 12", Says::kNo},
  };
  for (const auto& c : cases) {
    INFO(c.regex << " of " << c.line);
    CHECK(OfShapeOf(c.regex, c.line) == c.says);
  }
  for (const char* regex : {"(?i)abc", R"(\pN)", "a**", "[[:alpha:]]", "(a", "a{2,1}", R"(\1)"}) {
    INFO(regex);
    CHECK_FALSE(NfaOf(regex, kLongest).has_value());
  }
}

TEST_CASE("what no line is long enough for is no bound", "[rules]") {
  const auto steps = [](size_t longest) { return NfaOf("a[^\n]{1,300}b", longest)->steps.size(); };
  CHECK(steps(256) < 10);
  CHECK(steps(512) > 300);
}

// Texts of this shape: short numbers and long ones, and many zeros.
std::string WithOtherNumbers(std::string_view shape, std::mt19937& random) {
  std::string text;
  for (const char c : shape) {
    if (!skeleton::IsNumber(c)) {
      text.push_back(c);
      continue;
    }
    const bool hex = c == skeleton::kHex;
    size_t left = 1 + random() % (random() % 3 == 0 ? skeleton::kMostDigits : 4);
    if (hex) text += "7a";
    for (; left > 0; --left) {
      text.push_back(random() % 3 == 0 ? '0' : (hex ? "0123456789abcdef" : "0123456789012345")[random() % 16]);
    }
  }
  return text;
}

// Of every rule, on lines that have its words and on others'.
TEST_CASE("what is said of all lines of a kind, RE2 says of each", "[rules]") {
  const PatternTable patterns(RuleSet::Embedded().rules());
  std::mt19937 random(5);
  LineShape shapes, of_text;
  size_t with_regex = 0, unread = 0, for_all = 0, yes = 0, of_line = 0, depends = 0;
  for (uint32_t number = 0; number < patterns.size(); ++number) {
    const LinePattern& pattern = *patterns.entry(number).pattern;
    if (pattern.regex.empty()) continue;
    ++with_regex;
    std::optional<RegexNfa> nfa = NfaOf(pattern.regex, kLongest);
    if (!nfa) {
      ++unread;
      continue;
    }
    RegexOverKind over(*std::move(nfa));
    const RE2& regex = *patterns.Compiled(number).regex;
    std::vector<std::string> pieces(patterns.Texts(number).required.begin(), patterns.Texts(number).required.end());
    pieces.insert(pieces.end(), pattern.literals.begin(), pattern.literals.end());
    pieces.insert(pieces.end(), {" ", "=12", ": ", "[10.0.3.7]:4711", " 0x7f1b ", " failed ", "rank 3 "});
    INFO(pattern.regex);
    for (int round = 0; round < 6; ++round) {
      std::string line;
      for (size_t n = 2 + random() % 6; n > 0; --n) line += pieces[random() % pieces.size()];
      const std::string shape(shapes.Of(line));
      if (shape.empty()) continue;
      const Says all = over.OfShape(shape);
      for_all += all != Says::kDepends ? 1 : 0;
      yes += all == Says::kYes ? 1 : 0;
      RegexOverKind::Way way;
      for (int text_round = 0; text_round < 4; ++text_round) {
        const std::string text = WithOtherNumbers(shape, random);
        if (of_text.Of(text) != shape) continue;
        INFO(text);
        const bool matches = InRe2([&] { return RE2::PartialMatch(ToRe2(text), regex); });
        if (all != Says::kDepends) REQUIRE(matches == (all == Says::kYes));
        const Says one = over.OfLine(shape, text, of_text.numbers(), &way);
        ++(one == Says::kDepends ? depends : of_line);
        if (one != Says::kDepends) REQUIRE(matches == (one == Says::kYes));
      }
    }
  }
  CHECK(unread * 100 < with_regex);
  CHECK(for_all > with_regex);
  CHECK(yes > 100);
  CHECK(depends * 20 < of_line);
}

}  // namespace
}  // namespace ncclwhy

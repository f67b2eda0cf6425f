#include "rules/engine/literals_of_shape.h"

#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "parser/skeleton.h"

namespace ncclwhy {
namespace {

std::string ShapeOf(std::string_view text) {
  std::string shape;
  REQUIRE(skeleton::Append(text, &shape));
  return shape;
}

RuleList RuleOf(std::vector<KeptText> literals) {
  Rule rule;
  rule.patterns.emplace_back();
  rule.patterns.back().literals = std::move(literals);
  return RuleList({rule});
}

TEST_CASE("a literal with digits may stand in a text with other numbers", "[rules]") {
  const struct {
    const char* text;
    const char* literal;
    bool may;
  } kCases[] = {
      {"failed with status 7", "status 12", true},
      {"failed with status 7", "status 12,", false},
      {"failed with status 7, gone", "status 12,", true},
      {"failed with status 7, gone", "2, go", true},
      {"failed with status 7, gone", "status", true},
      {"failed with status 7, gone", "status x", false},
      {"errno 7 of 8", "111", true},
      {"errno x7 of y8", "111", false},  // words: they do not change
      {"errno x7 of y8", "x7", true},
      {"at 0x7f00 done", "0x1", true},
      {"at 0x7f00 done", "dead done", true},
      {"at 0x7f00 done", "deag", false},
      {"at 0x7f00 done", "x12g", false},
      {"1.2.3.4", "127.0.0.1", true},
      {"1.2.3", "127.0.0.1", false},
      {"[1/2]", " (0/0)", false},
      {"(1/2)", "(0/0)", true},
  };
  for (const auto& c : kCases) {
    INFO(c.text << " with " << c.literal);
    const RuleList rules = RuleOf({"something else", c.literal});
    std::vector<std::string> words;
    CHECK(MayHoldLiteral(PatternTable(rules), LogLevel::kInfo, ShapeOf(c.text), &words) == c.may);
    CHECK(words.empty());
  }
}

TEST_CASE("a literal that may be all of a hexadecimal number is a word", "[rules]") {
  const RuleList rules = RuleOf({"c10d", "bad"});
  const PatternTable patterns(rules);
  std::vector<std::string> words;
  CHECK_FALSE(MayHoldLiteral(patterns, LogLevel::kInfo, ShapeOf("at 0x7f00 done"), &words));
  CHECK(words == std::vector<std::string>{"bad", "c10d"});
  words.clear();
  CHECK_FALSE(MayHoldLiteral(patterns, LogLevel::kInfo, ShapeOf("at 17 done"), &words));
  CHECK(words.empty());
  CHECK(MayHoldLiteral(patterns, LogLevel::kInfo, ShapeOf("at 0x7f00 in c10d"), &words));
}

TEST_CASE("no text of a shape holds a literal that the shape cannot hold", "[rules]") {
  std::mt19937 random(20251122);
  const auto text = [&](std::string_view letters, size_t size) {
    std::string out(size, ' ');
    for (char& c : out) c = letters[random() % letters.size()];
    return out;
  };
  size_t impossible = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::string literal = text("01a x,", 1 + random() % 4);
    const RuleList rules = RuleOf({literal});
    const PatternTable patterns(rules);
    const std::string shape = ShapeOf(text("01a x, 0 0x1 ", 2 + random() % 12));
    std::vector<std::string> words;
    if (MayHoldLiteral(patterns, LogLevel::kInfo, shape, &words) || !words.empty()) continue;
    ++impossible;
    for (int k = 0; k < 20; ++k) {
      std::string filled;
      for (const char c : shape) {
        if (!skeleton::IsNumber(c)) {
          filled += c;
        } else {
          filled += text(c == skeleton::kHex ? "01a" : "01", 1 + random() % 4);
        }
      }
      INFO(filled << " with " << literal);
      REQUIRE(filled.find(literal) == std::string::npos);
    }
  }
  CHECK(impossible > 300);
}

}  // namespace
}  // namespace ncclwhy

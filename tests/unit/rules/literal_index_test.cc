#include "rules/engine/literal_index.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "catch.h"

namespace ncclwhy {
namespace {

std::set<uint32_t> Scan(const LiteralTablesStorage& tables, std::string_view text) {
  std::set<uint32_t> found;
  LiteralIndex(tables.View()).Scan(text, [&](uint32_t pattern) { found.insert(pattern); });
  return found;
}

TEST_CASE("literals are found wherever they stand", "[rules]") {
  struct Case {
    std::vector<std::pair<std::string, uint32_t>> literals;
    std::string text;
    std::set<uint32_t> expected;
  };
  const std::vector<Case> cases = {
      {{{"he", 0}, {"she", 1}, {"his", 2}, {"hers", 3}}, "ushers", {0, 1, 3}},
      {{{"he", 0}, {"she", 1}, {"his", 2}, {"hers", 3}}, "ahishe", {0, 1, 2}},
      {{{"abc", 7}, {"abc", 2}}, "xxabcxx", {2, 7}},  // one text, two patterns
      {{{"abcd", 0}, {"bc", 1}}, "abce", {1}},        // a suffix of a prefix
      {{{"aab", 0}}, "aaab", {0}},                    // falls back inside a run
      {{{"Bus error", 0}}, "PCIe Bus Error:", {}},    // case-sensitive
      {{{"failed", 0}}, "faile", {}},
      {{{"failed", 0}}, "", {}},
      {{{"\xE7\xA9\xBA", 0}}, "\xE7\xA9\xE7\xA9\xBA", {0}},                  // bytes above 127
      {{{"", 0}, {std::string("a\0b", 3), 1}}, std::string("a\0b", 3), {}},  // what cannot be a literal is ignored
      {{}, "anything", {}},
  };
  for (const Case& c : cases) {
    LiteralIndexBuilder builder;
    for (const auto& [literal, pattern] : c.literals) builder.Add(literal, pattern);
    INFO(c.text);
    CHECK(Scan(builder.Build(), c.text) == c.expected);
  }
}

TEST_CASE("the literals agrees with plain search", "[rules]") {
  std::mt19937 random(20240607);
  const auto text = [&](size_t longest, int letters) {
    std::string out(std::uniform_int_distribution<size_t>(1, longest)(random), 'a');
    for (char& c : out) c = static_cast<char>('a' + std::uniform_int_distribution<int>(0, letters - 1)(random));
    return out;
  };
  for (int round = 0; round < 60; ++round) {
    const int letters = 2 + round % 12;
    std::vector<std::string> literals;
    LiteralIndexBuilder builder;
    for (uint32_t i = 0; i < 40; ++i) {
      literals.push_back(text(i % 2 == 0 ? 7 : 24, letters));
      builder.Add(literals.back(), i);
    }
    const LiteralTablesStorage tables = builder.Build();
    for (int line = 0; line < 20; ++line) {
      const std::string haystack = text(120, letters + 1);
      std::set<uint32_t> expected;
      for (uint32_t i = 0; i < literals.size(); ++i) {
        if (haystack.find(literals[i]) != std::string::npos) expected.insert(i);
      }
      REQUIRE(Scan(tables, haystack) == expected);
    }
  }
}

TEST_CASE("the tables do not depend on the order of Add", "[rules]") {
  LiteralIndexBuilder forward;
  LiteralIndexBuilder backward;
  const std::vector<std::string> literals = {"socket", "so", "ocke", "Call to connect", "Call to"};
  for (uint32_t i = 0; i < literals.size(); ++i) forward.Add(literals[i], i);
  for (uint32_t i = static_cast<uint32_t>(literals.size()); i-- > 0;) backward.Add(literals[i], i);
  const LiteralTablesStorage a = forward.Build();
  const LiteralTablesStorage b = backward.Build();
  CHECK(a.bytes == b.bytes);
  CHECK(a.patterns == b.patterns);
  CHECK(a.shortest == b.shortest);
  CHECK(a.grams.longs.filter == b.grams.longs.filter);
  CHECK(a.grams.shorts.slots == b.grams.shorts.slots);
}

}  // namespace
}  // namespace ncclwhy

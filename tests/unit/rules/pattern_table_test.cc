#include "rules/engine/pattern_table.h"

#include <utility>
#include <vector>

#include "catch.h"

namespace ncclwhy {
namespace {

Condition Above(const char* literal, Scope scope, uint32_t within) {
  Condition condition;
  condition.pattern.literals = {literal};
  condition.scope = scope;
  condition.within = within;
  return condition;
}

TEST_CASE("a line is asked once for what many rules want near theirs", "[rules]") {
  std::vector<Rule> rules(4);
  for (Rule& rule : rules) rule.patterns.push_back({{"RuntimeError"}, {}, {}, {}, {}});
  rules[0].near = {Above("Traceback", Scope::kTraceback, 0)};
  rules[1].near = {Above("Traceback", Scope::kTraceback, 0)};
  rules[2].near = {Above("Traceback", Scope::kProcess, 0)};  // the first few are enough
  rules[3].near = {Above("Traceback", Scope::kSource, 5)};
  rules[3].near[0].pattern.regex = "^Traceback";
  const RuleList list(rules);
  const PatternTable table(list);
  const PatternNumbers& numbers = table.numbers();
  const auto condition = [&](uint32_t rule) { return numbers.first[rule] + 1; };
  CHECK(numbers.AskedAs(condition(0)) == condition(0));
  CHECK(numbers.AskedAs(condition(1)) == condition(0));
  CHECK(numbers.AskedAs(condition(2)) == condition(2));
  CHECK(numbers.AskedAs(condition(3)) == condition(3));
  // Equal patterns of rules stay apart: each counts its own hits.
  for (uint32_t rule = 0; rule < rules.size(); ++rule)
    CHECK(numbers.AskedAs(numbers.first[rule]) == numbers.first[rule]);
  for (uint32_t number = 0; number < table.size(); ++number) CHECK(numbers.RuleOf(number) == number / 2);
}

TEST_CASE("conditions on the line of a hit stand with their rule", "[rules]") {
  std::vector<Rule> rules(3);
  for (Rule& rule : rules) rule.patterns.push_back({{"RuntimeError"}, {}, {}, {}, {}});
  rules[1].near = {Above("near", Scope::kProcess, 0)};
  rules[1].unless = {Above("in the line", Scope::kLine, 0), Above("close by", Scope::kLine, 3)};
  const RuleList list(rules);
  const PatternTable table(list);
  CHECK(table.numbers().OfLine(0).empty());
  REQUIRE(table.numbers().OfLine(1).size() == 1);
  CHECK(table.entry(table.numbers().OfLine(1)[0]).pattern->literals[0] == "in the line");
  CHECK(table.entry(table.numbers().first[1]).conditions.size() == 1);
  CHECK(table.numbers().OfLine(2).empty());
}

}  // namespace
}  // namespace ncclwhy

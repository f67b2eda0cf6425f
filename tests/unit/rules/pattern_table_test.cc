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
  const PatternTable table(rules);
  const auto condition = [&](uint32_t rule) { return table.first(rule) + 1; };
  CHECK(table.AskedAs(condition(0)) == condition(0));
  CHECK(table.AskedAs(condition(1)) == condition(0));
  CHECK(table.AskedAs(condition(2)) == condition(2));
  CHECK(table.AskedAs(condition(3)) == condition(3));
  // Equal patterns of rules stay apart: each counts its own hits.
  for (uint32_t rule = 0; rule < rules.size(); ++rule) CHECK(table.AskedAs(table.first(rule)) == table.first(rule));
}

}  // namespace
}  // namespace ncclwhy

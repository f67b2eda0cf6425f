// PatternNumbers: all line patterns of a rule set under one numbering, and what is known of a number without its rule.
//
// Numbers run over the rules in order; within a rule over patterns, near, unless, boost. Hit::pattern is such a number.
// Flat arrays of plain numbers, as those of the literals: constant data of the program (embed_rules.cc), or made at run
// time of the rules of a user.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "rules/engine/rule.h"
#include "rules/engine/rule_list.h"

namespace ncclwhy {

// One number, and the other one under which its hits stand.
struct AskedAsRow {
  uint32_t number = 0;
  uint32_t asked_as = 0;
};

// A view; what it looks into outlives it.
struct PatternNumbers {
  std::span<const uint32_t> first;        // of each rule; and one more, the end of the last one
  std::span<const uint32_t> of_line;      // of all rules: conditions on the line that a pattern of their rule matched
  std::span<const AskedAsRow> asked_as;   // of those alone that are not asked as themselves
  std::span<const uint32_t> query_rules;  // rules that ask the whole job

  uint32_t size() const { return first.back(); }
  // Whose pattern it is. A binary search.
  uint32_t RuleOf(uint32_t number) const;
  // Those of a rule that are conditions on the same line.
  std::span<const uint32_t> OfLine(uint32_t rule) const;
  // Many rules ask for the same line ("Traceback (most recent call last)" above it). Lines are asked for the first of
  // equal conditions alone, and its hits are those of all: the number under which the hits of `number` stand.
  //    35 rules with "unless": "Traceback (most recent call last)"     one pattern is looked for, not 35
  uint32_t AskedAs(uint32_t number) const;
};

// A condition on the line that a pattern of its rule matched. No other line is asked for it: `INFO` stands in most.
inline bool IsOfLine(const Rule& rule, const Condition* condition) {
  return condition != nullptr && condition->scope == Scope::kLine && condition->within == 0 && rule.query.empty();
}
// A condition that counts lines ("within 5 lines, there must be no …") needs every place, but only the place.
inline bool NeedsEveryPlace(const Condition* condition) {
  return condition != nullptr &&
         (condition->within > 0 || condition->scope == Scope::kLine || condition->scope == Scope::kTraceback);
}

// Owns the numbers that were made of rules.
struct PatternNumbersStorage {
  std::vector<uint32_t> first, of_line, query_rules;
  std::vector<AskedAsRow> asked_as;

  // Reads all rules. Linear in the patterns.
  static PatternNumbersStorage Of(const RuleList& rules);
  PatternNumbers View() const { return {first, of_line, asked_as, query_rules}; }
};

// Calls visit(pattern, condition or null) in the order of the numbers.
template <typename Visit>
void VisitPatterns(const Rule& rule, Visit&& visit) {
  for (const LinePattern& pattern : rule.patterns) visit(pattern, static_cast<const Condition*>(nullptr));
  for (const auto* list : {&rule.near, &rule.unless, &rule.boost}) {
    for (const Condition& condition : *list) visit(condition.pattern, &condition);
  }
}

}  // namespace ncclwhy

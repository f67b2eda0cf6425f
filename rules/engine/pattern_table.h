// PatternTable: all line patterns of a rule set under one numbering, compiled when first needed.
//
// Numbers run over the rules in order; within a rule over patterns, near, unless, boost. Hit::pattern is such a number.
//
// Thread safety: immutable after construction except for the compiled regexes and their texts: threads that need one at
// the same time each make it, and the first is kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/pair_index.h"
#include "base/re2_text.h"
#include "rules/engine/literal_index.h"
#include "rules/engine/numbers_alike.h"
#include "rules/engine/regex_texts.h"
#include "rules/engine/rule.h"

namespace ncclwhy {

// Everything that matching has to know of a pattern. Pointers into the rules.
struct PatternEntry {
  const LinePattern* pattern = nullptr;
  const Condition* condition = nullptr;  // null for the rule's own patterns
  uint32_t rule = 0;
  uint32_t most = 0;  // hits that are kept of a process
  const Rule* of = nullptr;

  // Its number is asked behind the patterns of its rule.
  // A condition on the line that a pattern of its rule matched. No other line is asked for it: `INFO` stands in most.
  bool of_line() const {
    return condition != nullptr && condition->scope == Scope::kLine && condition->within == 0 && of->query.empty();
  }
  // A condition that counts lines ("within 5 lines, there must be no …") needs every place, but only the place.
  bool every_place() const {
    return condition != nullptr &&
           (condition->within > 0 || condition->scope == Scope::kLine || condition->scope == Scope::kTraceback);
  }
};

// A regex and its named groups by number.
// Immutable; RE2 may be asked by several threads at once.
struct CompiledPattern {
  std::unique_ptr<RE2> regex;  // null when it did not compile (lint refuses such rules)
  std::vector<std::pair<int, std::string>> groups;
  int group_count = 0;
};

class PatternTable {
 public:
  // `rules` is borrowed, and must not change: entries point into it. Linear in the patterns; compiles none.
  explicit PatternTable(const std::vector<Rule>& rules);
  ~PatternTable();
  PatternTable(const PatternTable&) = delete;
  PatternTable& operator=(const PatternTable&) = delete;

  // Of global numbers.
  size_t size() const { return entries_.size(); }
  const PatternEntry& entry(uint32_t number) const { return entries_[number]; }
  // The first number of a rule; its patterns, near, unless and boost follow.
  uint32_t first(uint32_t rule) const { return first_[rule]; }
  // Those of a rule that are conditions on the same line.
  std::span<const uint32_t> OfLine(uint32_t rule) const {
    return std::span(of_line_).subspan(of_line_from_[rule], of_line_from_[rule + 1] - of_line_from_[rule]);
  }
  // Many rules ask for the same line ("Traceback (most recent call last)" above it). Lines are asked for the first of
  // equal conditions alone, and its hits are those of all: the number under which the hits of `number` stand.
  //    35 rules with "unless": "Traceback (most recent call last)"     one pattern is looked for, not 35
  uint32_t AskedAs(uint32_t number) const { return asked_as_[number]; }
  // Compiles it when a line first needs it, within limits::kPatternMemory. The reference stays valid as long as the
  // table.
  // Throws std::bad_alloc where there is no room for RE2 (base/re2_call.h).
  const CompiledPattern& Compiled(uint32_t number) const;
  // By which a line is told to match, or not to, without the regex.
  const RegexTexts& Texts(uint32_t number) const;
  NumbersAlike Alike(uint32_t number) const;  // of its regex
  using Named = std::optional<ncclwhy::NumbersNamed>;
  const Named& NumbersNamed(uint32_t number) const;
  // The literals of which the digits of a line decide whether they are in it, and those of which its numbers do where
  // it has a shape (rules/engine/numbers_alike.h); with what is in the masked line, or in the shape, of a line that has
  // them.
  struct Numbered {
    std::string text;
    NumbersAlike alike = NumbersAlike::kNo;  // of those for shapes
    uint32_t pattern = 0;
  };
  struct NumberedLiterals {
    std::vector<Numbered> all;
    PairIndex by_text;
  };
  const NumberedLiterals& MaskedLiterals() const;
  const NumberedLiterals& LiteralsForShapes() const;
  // The literals by their first bytes, for lines that were cut off within one. Less of one is in many lines.
  static constexpr size_t kBeginning = 10;
  struct Beginnings {
    std::unordered_map<std::string_view, std::vector<std::pair<std::string_view, uint32_t>>> of;  // literal, pattern
    size_t longest = 0;                                                                           // literal
  };
  // Made when the first clipped line comes.
  const Beginnings& LiteralBeginnings() const;
  // Numbers in it are the global ones; literals of conditions on the same line are left out.
  // For rules that have no prebuilt tables.
  LiteralTablesStorage BuildLiterals() const;

 private:
  std::vector<PatternEntry> entries_;
  std::vector<uint32_t> first_;
  std::vector<uint32_t> of_line_;       // of all rules; those of one stand together
  std::vector<uint32_t> of_line_from_;  // by rule, where its own begin; one more for the end
  std::vector<uint32_t> asked_as_;
  // Fills asked_as_.
  void JoinEqualConditions();
  template <typename T>
  using Slots = std::unique_ptr<std::atomic<const T*>[]>;  // by pattern; null: not needed yet
  Slots<CompiledPattern> compiled_;
  Slots<RegexTexts> texts_;
  Slots<NumbersAlike> alike_;
  Slots<Named> named_;
  // Calls visit(literal, number) for all that are looked for in lines.
  template <typename Visit>
  void ForEachLiteral(const Visit& visit) const;
  mutable std::atomic<const NumberedLiterals*> masked_ = nullptr;
  mutable std::atomic<const NumberedLiterals*> for_shapes_ = nullptr;
  mutable std::atomic<const Beginnings*> beginnings_ = nullptr;
};

// Calls visit(pattern, condition or null) in the order of the global numbers.
template <typename Visit>
void VisitPatterns(const Rule& rule, Visit&& visit) {
  for (const LinePattern& pattern : rule.patterns) visit(pattern, static_cast<const Condition*>(nullptr));
  for (const auto* list : {&rule.near, &rule.unless, &rule.boost}) {
    for (const Condition& condition : *list) visit(condition.pattern, &condition);
  }
}

}  // namespace ncclwhy

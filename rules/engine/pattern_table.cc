#include "rules/engine/pattern_table.h"

#include "base/re2_call.h"
#include "rules/engine/pattern_regex.h"

namespace ncclwhy {

PatternTable::PatternTable(const std::vector<Rule>& rules) {
  first_.reserve(rules.size());
  for (uint32_t i = 0; i < rules.size(); ++i) {
    first_.push_back(static_cast<uint32_t>(entries_.size()));
    VisitPatterns(rules[i], [&](const LinePattern& pattern, const Condition* condition) {
      entries_.push_back({&pattern, condition, i});
    });
  }
  slots_ = std::make_unique<Slot[]>(entries_.size());
}

const CompiledPattern& PatternTable::Compiled(uint32_t number) const {
  Slot& slot = slots_[number];
  std::call_once(slot.once, [&] {
    const std::string& text = entries_[number].pattern->regex;
    auto regex = InRe2([&] { return std::make_unique<RE2>(ToRe2(text), RulePatternOptions()); });
    if (!regex->ok()) return;
    slot.compiled.group_count = regex->NumberOfCapturingGroups();
    const auto* names = InRe2([&] { return &regex->CapturingGroupNames(); });
    slot.compiled.groups.assign(names->begin(), names->end());
    slot.compiled.regex = std::move(regex);
  });
  return slot.compiled;
}

LiteralTablesStorage PatternTable::BuildLiterals() const {
  LiteralAutomatonBuilder builder;
  for (uint32_t number = 0; number < entries_.size(); ++number) {
    for (const std::string& literal : entries_[number].pattern->literals) builder.Add(literal, number);
  }
  return builder.Build();
}

}  // namespace ncclwhy

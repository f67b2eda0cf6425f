#include "rules/engine/pattern_numbers.h"

#include <algorithm>
#include <unordered_map>

#include "base/hash.h"

namespace ncclwhy {

uint32_t PatternNumbers::RuleOf(uint32_t number) const {
  return static_cast<uint32_t>(std::upper_bound(first.begin(), first.end(), number) - first.begin()) - 1;
}

std::span<const uint32_t> PatternNumbers::OfLine(uint32_t rule) const {
  const auto begin = std::lower_bound(of_line.begin(), of_line.end(), first[rule]);
  return {begin, std::lower_bound(begin, of_line.end(), first[rule + 1])};
}

uint32_t PatternNumbers::AskedAs(uint32_t number) const {
  const auto at = std::lower_bound(asked_as.begin(), asked_as.end(), number,
                                   [](const AskedAsRow& row, uint32_t n) { return row.number < n; });
  return at != asked_as.end() && at->number == number ? at->asked_as : number;
}

namespace {

// Finds the first of equal conditions: only those of which as much is kept, all places or the first few hits.
class Equals {
 public:
  // The first one that is equal to this, which may be itself.
  uint32_t FirstOf(uint32_t number, const LinePattern& pattern, const Condition& condition) {
    // The hash finds candidates; equality is asked of the whole pattern.
    const bool every_place = NeedsEveryPlace(&condition);
    uint64_t hash = HashBytes(pattern.regex, every_place ? 1 : 0);
    for (const std::string_view literal : pattern.literals) hash = HashBytes(literal, hash);
    const auto [begin, end] = known_.equal_range(hash);
    const auto same = std::find_if(begin, end, [&](const auto& known) {
      return known.second.every_place == every_place && *known.second.pattern == pattern;
    });
    if (same != end) return same->second.number;
    known_.emplace(hash, Known{number, every_place, &pattern});
    return number;
  }

 private:
  struct Known {
    uint32_t number = 0;
    bool every_place = false;
    const LinePattern* pattern = nullptr;
  };
  std::unordered_multimap<uint64_t, Known> known_;
};

}  // namespace

PatternNumbersStorage PatternNumbersStorage::Of(const RuleList& rules) {
  PatternNumbersStorage made;
  Equals equals;
  uint32_t number = 0;
  for (uint32_t i = 0; i < rules.size(); ++i) {
    const Rule& rule = rules[i];
    made.first.push_back(number);
    if (!rule.query.empty()) made.query_rules.push_back(i);
    VisitPatterns(rule, [&](const LinePattern& pattern, const Condition* condition) {
      if (IsOfLine(rule, condition)) {
        made.of_line.push_back(number);
      } else if (condition != nullptr) {  // a rule's own pattern is its own: its hits are the rule's findings
        const uint32_t asked_as = equals.FirstOf(number, pattern, *condition);
        if (asked_as != number) made.asked_as.push_back({number, asked_as});
      }
      ++number;
    });
  }
  made.first.push_back(number);
  return made;
}

}  // namespace ncclwhy

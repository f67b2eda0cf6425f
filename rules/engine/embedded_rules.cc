#include "rules/engine/embedded_rules.h"

#include "rules/engine/rule_fields.h"

namespace ncclwhy {

// A member that is not in rule_fields.h would be lost. Sizes of the common machines; elsewhere these are not asked.
constexpr bool kCommon = sizeof(void*) == 8 && sizeof(KeptText) == 24;
static_assert(!kCommon ||
              (sizeof(Sign) == 4 && sizeof(Rule) == 728 && sizeof(Condition) == 160 && sizeof(LinePattern) == 120));

std::vector<Rule> ReadEmbeddedRules() {
  std::vector<Rule> rules;
  FieldReader reader(kEmbeddedRules.rules);
  // Bytes of the same build: nothing in them can be damaged, so nothing is asked. Room is made for
  // all at once: a list that grows moves its rules, and touches twice the memory.
  const size_t count = reader.Size();
  rules.reserve(count);
  for (size_t i = 0; i < count; ++i) reader(rules.emplace_back());
  return rules;
}

}  // namespace ncclwhy

#include "rules/engine/embedded_rules.h"

#include "rules/engine/rule_fields.h"

namespace ncclwhy {

// A member that is not in rule_fields.h would be lost. Sizes of the common machines; elsewhere these are not asked.
// libstdc++'s string has 32 bytes, libc++'s 24.
constexpr bool kCommon = sizeof(void*) == 8 && sizeof(std::string) == 32;
static_assert(!kCommon ||
              (sizeof(Sign) == 4 && sizeof(Rule) == 864 && sizeof(Condition) == 176 && sizeof(LinePattern) == 136));

std::vector<Rule> ReadEmbeddedRules() {
  std::vector<Rule> rules;
  FieldReader reader(kEmbeddedRules.rules);
  // Bytes of the same build: nothing in them can be damaged, so nothing is asked.
  reader(rules);
  return rules;
}

}  // namespace ncclwhy

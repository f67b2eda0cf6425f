// The rules that the build makes of rules/catalog (embed_rules.cc): no JSON is parsed and no text is searched for
// literals at start-up.
#pragma once

#include <string_view>
#include <vector>

#include "rules/engine/literal_index.h"
#include "rules/engine/rule.h"

namespace ncclwhy {

// Constants of the program: nothing is copied of the tables, nor of the texts of the rules.
struct EmbeddedRules {
  std::string_view rules;  // as rule_fields.h says, in the order of RuleSet::rules()
  LiteralTables literals;  // by their global pattern numbers (pattern_table.h)
};

// Defined in the generated source.
extern const EmbeddedRules kEmbeddedRules;

// Complete: the static_assert in the source refuses a member of Rule that is not written.
// The rules borrow their texts. Called once by RuleSet::Embedded, and by each Load, whose rules may override them.
std::vector<Rule> ReadEmbeddedRules();

}  // namespace ncclwhy

// The rules that the build makes of rules/catalog (embed_rules.cc): no JSON is parsed and no text is searched for
// literals at start-up.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "rules/engine/literal_index.h"
#include "rules/engine/pattern_numbers.h"

namespace ncclwhy {

// Constants of the program: nothing is copied of the tables, nor of the texts of the rules.
struct EmbeddedRules {
  std::string_view rules;            // as rule_fields.h says, in the order of RuleSet::rules()
  std::span<const uint32_t> begins;  // of each in `rules`; and one more, the end
  PatternNumbers numbers;
  LiteralTables literals;  // by those numbers
};

// Defined in the generated source.
extern const EmbeddedRules kEmbeddedRules;

}  // namespace ncclwhy

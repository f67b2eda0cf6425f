// Loader: rule.json → Rule. Strict: an unknown key, a wrong type or a value outside the vocabulary is an error, because
// a misspelt key would otherwise be a rule that silently does less than its author thinks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/rule.h"
#include "rules/engine/rule_text.h"

namespace ncclwhy {

inline constexpr std::string_view kRuleSchema = "ncclwhy.rule/1";

// The form of one rule. `text.file()` should end in <family>/<rule-id>/rule.json: the family comes from there. Without
// value: at least one error was added to `diagnostics` (warnings may be added in any case). What the form cannot say
// (that a cause exists, that a regex compiles) is lint's.
// Throws nothing for what stands in the text. Knows nothing of other rules.
std::optional<Rule> ParseRule(const RuleText& text, std::vector<Diagnostic>* diagnostics);

// The keys that the loader knows, per place: "rule", "match", "condition". For the test that compares them with
// rule.schema.json.
// Valid for the life of the program. Any other place is "rule".
const std::vector<std::string_view>& RuleKeys(std::string_view place);

}  // namespace ncclwhy

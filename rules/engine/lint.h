// Lint: everything that can be said about rules without running them. The same checks stand behind `rules lint`, the
// build (rules/engine/embed_rules.cc) and the loading of a user's directory. The codes are listed in rules/README.md.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/rule.h"
#include "rules/engine/rule_set.h"
#include "rules/engine/rule_text.h"

namespace ncclwhy {

using CauseSet = std::set<std::string, std::less<>>;

// The build asks for everything; `--rules` for what can be told without logs, causes and a database.
struct LintOptions {
  const CauseSet* causes = nullptr;        // the ids of kb/causes, borrowed; null: cause ids are not checked
  std::vector<std::string> further_rules;  // ids of rules elsewhere that `explains` may name
  bool logs = true;                        // every rule must have a fires* and a silent* log
  QueryRunner query;                       // when set, every query is run once (over an empty timeline, say)
};

// Reads and checks every rule.json below `directory`. Returns the rules without errors, ordered by id; diagnostics are
// ordered by file and position.
// A file that cannot be read, or is no JSON, is a diagnostic. Never throws for what stands in a file. `diagnostics` may
// be null.
std::vector<Rule> LoadCatalog(const std::string& directory, const LintOptions& options,
                              std::vector<Diagnostic>* diagnostics);

// The checks of one rule that need nothing but itself and `options`; for a rule that ParseRule accepted.
// `diagnostics` grows; nothing is thrown out of what RE2 or the query says.
void LintRule(const Rule& rule, const RuleText& text, const LintOptions& options, std::vector<Diagnostic>* diagnostics);

// The checks of one line pattern; `path` is where it stands in `text` ("/match/0").
// Errors: no literal, a regex that does not compile or is too large. Warnings: what makes it slow, or match less than
// its author thinks.
void LintPattern(const LinePattern& pattern, const RuleText& text, const std::string& path,
                 std::vector<Diagnostic>* diagnostics);

// The longest text that every match of `regex` contains, as far as a look at its top level tells; may be empty.
//    Call to (?P<call>\w+) failed with     " failed with"
std::string RequiredLiteral(std::string_view regex);

// The ids of all causes in kb/causes/*.json of `directory`. Unreadable files are skipped: kb has its own checks.
CauseSet ReadCauseIds(const std::string& directory);

}  // namespace ncclwhy

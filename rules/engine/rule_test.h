// Rule tests: runs the fires* and silent* logs that stand beside a rule.
//
// The analysis itself is a callback, so that the command, tests/catalog and unit tests can each bring their own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ncclwhy/status.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {

// One log, or a directory of logs that belong to one job.
struct RuleCase {
  std::string rule;                // id
  std::string name;                // "fires-2.28", without extension
  bool fires = false;              // else it must stay silent
  std::vector<std::string> files;  // sorted
};

struct RuleCaseResult {
  RuleCase test;
  bool passed = false;
  std::vector<std::string> fired;  // ids of all rules that fired on this case, sorted, each once
  std::string message;             // one sentence when it did not pass
};

// Findings of `rules` on one set of files that belong to one job.
using FindingsOf =
    std::function<Result<std::vector<Finding>>(const RuleSet& rules, const std::vector<std::string>& files)>;

// The cases beside the rule.json `rule_file`, sorted by name.
std::vector<RuleCase> FindRuleCases(const std::string& rule_id, const std::string& rule_file);

// Runs one case: a fires case passes when its rule is among the findings, a silent case when it is not.
RuleCaseResult RunRuleCase(const RuleSet& rules, const RuleCase& test, const FindingsOf& findings_of);

// Runs all cases of all rules of `rules` whose file is known on this machine (rules that were loaded from a directory).
std::vector<RuleCaseResult> RunRuleCases(const RuleSet& rules, const FindingsOf& findings_of);

}  // namespace ncclwhy

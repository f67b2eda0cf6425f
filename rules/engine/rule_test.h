// Rule tests: runs the fires* and silent* logs that stand beside a rule.
//
// The analysis itself is a callback, so that the command, tests/catalog and unit tests can each bring their own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ncclwhy/report.h"
#include "ncclwhy/status.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule_case.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {

// What the analysis made of the files of a case.
struct CaseFindings {
  std::vector<Finding> findings;
  std::vector<Culprit> culprits;  // of the findings of the case's rule, best first
};

//    shm-segment-too-old/silent-no-space: the rule must stay silent, but fires on line 3: Error while creating …
struct RuleCaseResult {
  RuleCase test;
  bool passed = false;
  std::vector<std::string> fired;  // ids of all rules that fired on this case, sorted, each once
  std::vector<Culprit> culprits;   // whom the rule blames
  std::string message;             // one sentence when it did not pass
};

// Findings of `rules` on one set of files that belong to one job.
using FindingsOf = std::function<Result<CaseFindings>(const RuleSet& rules, const RuleCase& test)>;

// "nobody", "rank 3 on gpu-a17, host gpu-b2".
std::string WhoText(const std::vector<RuleCase::Who>& who);

// Runs one case: a fires case passes when its rule is among the findings and they blame whom the case says, a silent
// case when it is not. An analysis that fails does not pass, with its sentence in `message`.
RuleCaseResult RunRuleCase(const RuleSet& rules, const RuleCase& test, const FindingsOf& findings_of);

// Runs all cases of all rules of `rules` whose file is known on this machine (rules that were loaded from a directory).
std::vector<RuleCaseResult> RunRuleCases(const RuleSet& rules, const FindingsOf& findings_of);

}  // namespace ncclwhy

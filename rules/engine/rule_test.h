// Rule tests: runs the fires* and silent* logs that stand beside a rule.
//
// The analysis itself is a callback, so that the command, tests/catalog and unit tests can each bring their own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ncclwhy/report.h"
#include "ncclwhy/status.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {

// One log, or a directory of logs that belong to one job.
//    shm/shm-segment-too-old/fires-2.28.log          a case of one log
//    net/net-peer-closed/fires-two-hosts/rank0.log   one of several logs
struct RuleCase {
  std::string rule;                // id
  std::string name;                // "fires-2.28", without extension
  bool fires = false;              // else it must stay silent
  std::vector<std::string> files;  // sorted
  // Whom the rule's findings must blame, best first, as expect.json beside rule.json says; an empty list is nobody.
  struct Who {
    int32_t rank = -1;  // -1: any
    std::string host;   // empty: any
  };
  std::optional<std::vector<Who>> blames;
};

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

// The cases beside the rule.json `rule_file`, sorted by name. What is wrong with expect.json is added to `complaints`,
// which may be null: {"fires-2.28": {"rank": 3, "host": "gpu-a17"}, "fires-old": [], "fires-two": [{…}, {…}]}.
std::vector<RuleCase> FindRuleCases(std::string_view rule_id, std::string_view rule_file,
                                    std::vector<std::string>* complaints = nullptr);

// "nobody", "rank 3 on gpu-a17, host gpu-b2".
std::string WhoText(const std::vector<RuleCase::Who>& who);

// Whether a case of `rule` must say whom it blames: who is to blame comes from what the rule captured or counted.
// tests/catalog asks it of the rules of the catalogue.
bool MustExpect(const Rule& rule);

// Runs one case: a fires case passes when its rule is among the findings and they blame whom the case says, a silent
// case when it is not. An analysis that fails does not pass, with its sentence in `message`.
RuleCaseResult RunRuleCase(const RuleSet& rules, const RuleCase& test, const FindingsOf& findings_of);

// Runs all cases of all rules of `rules` whose file is known on this machine (rules that were loaded from a directory).
std::vector<RuleCaseResult> RunRuleCases(const RuleSet& rules, const FindingsOf& findings_of);

}  // namespace ncclwhy

// The analysis that rule cases run through: real parser, real job model, real timeline.
#pragma once

#include <string>
#include <vector>

#include "ncclwhy/status.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule_set.h"
#include "rules/engine/rule_test.h"

namespace ncclwhy {

struct CaseRun {
  CaseFindings found;
  std::vector<uint32_t> hit_patterns;  // numbers of all patterns that hit, in no order
  std::vector<std::string> problems;   // queries that failed
};

// `rules` on `files` as one job; an error when a file cannot be read.
// `rule` is the one whose culprits are asked for; may be empty.
Result<CaseRun> RunCase(const RuleSet& rules, const std::vector<std::string>& files, std::string_view rule = {});

}  // namespace ncclwhy

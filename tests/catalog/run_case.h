// The analysis that rule cases run through: real parser, real job model, real timeline.
#pragma once

#include <string>
#include <vector>

#include "ncclwhy/status.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {

struct CaseRun {
  std::vector<Finding> findings;
  std::vector<uint32_t> hit_patterns;  // numbers of all patterns that hit, in no order
  std::vector<std::string> problems;   // queries that failed
};

// `rules` on `files` as one job; an error when a file cannot be read.
Result<CaseRun> RunCase(const RuleSet& rules, const std::vector<std::string>& files);

}  // namespace ncclwhy

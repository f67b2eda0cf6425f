// What rules say beside their causes: warnings, repairs of known bugs, what to collect next. The words stand in rules.
#pragma once

#include <vector>

#include "analyze/describe_cause.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// The warnings of findings of role `warning`, those for healthy runs first. Needs report.verdict and report.causes: a
// warning that the first cause says too is left out. What such warnings want collected goes to report.collect when
// that is empty.
void AddRuleWarnings(const CaseFile& c, Report* report);

// What rules say repairs it becomes the first fixes of the causes that they speak for, of which `ranking` has the
// hypotheses: those of the rule that leads first.
void AddRuleFixes(const CaseFile& c, const Ranking& ranking, Report* report);

}  // namespace ncclwhy

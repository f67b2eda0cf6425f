// What to do now: run again, run again without a host, mend something first. A weighing of the causes by what the
// knowledge says of each: whether it comes back on an identical run, and what has to change.
#pragma once

#include <optional>

#include "analyze/describe_cause.h"

namespace ncclwhy {

// None when nothing failed. `report` has its causes with culprits, and its attempts.
std::optional<Decision> Decide(const CaseFile& c, const Report& report);

// What it may be when no cause is sure enough to be named: up to three, each with what would show it.
std::vector<PossibleCause> Candidates(const CaseFile& c, const std::vector<Hypothesis>& hypotheses);

}  // namespace ncclwhy

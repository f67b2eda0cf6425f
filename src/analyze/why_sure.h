// Why this sure, in one line of words: how many independent lines, on how many ranks, whether anything went on after
// them, what only this cause explains. The figures behind it are in the JSON.
#pragma once

#include <string>

#include "analyze/describe_cause.h"

namespace ncclwhy {

// "9 lines of 2 independent kinds from 8 processes, one shows the failure itself, nobody got over it"; in the report's
// language. Empty when there is nothing to say.
std::string WhySure(const CaseFile& c, const Hypothesis& h);

}  // namespace ncclwhy

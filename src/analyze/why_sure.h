// Why this sure, in one line of words: how many independent lines, on how many ranks, whether anything went on after
// them, what only this cause explains. The figures behind it are in the JSON.
#pragma once

#include <string>

#include "analyze/describe_cause.h"

namespace ncclwhy {

// What a few quoted lines leave unknown: whose they are, and whether they were the first that failed. Empty where there
// is more to read, somebody is accused, or it is no single rank's.
std::string NotInTheExcerpt(const CaseFile& c, const Hypothesis& h, const std::vector<Culprit>& culprits);

// That no line shows that the job failed of it: a few with a complaint, and nothing behind it. To be put behind how
// sure it is; empty where an end, an exception or a result that is passed on stands in them.
std::string EndNotShown(const CaseFile& c, const Hypothesis& h);

// "9 lines of 2 independent kinds from 8 processes, one shows the failure itself, nobody got over it"; in the report's
// language. Empty when there is nothing to say.
std::string WhySure(const CaseFile& c, const Hypothesis& h);

}  // namespace ncclwhy

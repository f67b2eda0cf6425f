// The job's story in steps: how it began, how far it came, what broke, what followed, how it ended.
#pragma once

#include "analyze/describe_cause.h"
#include "job/outcome.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Fills `timeline` and `clocks` of a report whose outcome, causes and consequences are known. In the order of lines
// when all stand in one file, in the order of clocks (story_clocks.h) when all have one, else start, progress, what
// broke, what followed, the ending.
void TellStory(const CaseFile& c, const OutcomeReading& outcome, Report* report);

}  // namespace ncclwhy

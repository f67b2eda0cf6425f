// The job's story in steps: how it began, how far it came, what broke, what followed, how it ended.
#pragma once

#include "analyze/describe_cause.h"
#include "job/outcome.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Fills `timeline`, `clocks` and `tracks` of a report whose outcome, causes and consequences are known. In the order of
// lines when all stand in one file, in the order of clocks (story_clocks.h) when all have one, else start, progress,
// what broke, what followed, the ending. A step without a stamp of its own has that of the nearest line in front
// (line_times.h). `signs` are those of the items.
void TellStory(const CaseFile& c, const std::vector<LifeSign>& signs, const OutcomeReading& outcome, Report* report);

}  // namespace ncclwhy

// The outcome in the report: the word, the lines that show it, how far the job came.
#pragma once

#include "analyze/rank_causes.h"
#include "job/outcome.h"
#include "ncclwhy/language.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Failed, hung or stopped, as far as pulses and signs of life tell.
bool EndedBadly(const OutcomeReading& outcome);

// Sets outcome, outcome_evidence and progress of a report whose verdict and causes are known. Where the signs of life
// tell nothing, the causes do: what is named for an excerpt has failed, or hangs.
void TellOutcome(const JobModel& model, const OutcomeReading& outcome, const Ranking& ranking, Language language,
                 Report* report);

}  // namespace ncclwhy

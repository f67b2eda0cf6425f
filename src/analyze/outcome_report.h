// The outcome in the report: the word, the lines that show it, how far the job came.
#pragma once

#include <optional>
#include <vector>

#include "analyze/case_file.h"
#include "analyze/rank_causes.h"
#include "job/outcome.h"
#include "ncclwhy/language.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Failed, hung or stopped, as far as pulses and signs of life tell.
bool EndedBadly(const OutcomeReading& outcome);

// Whom the first bad ending speaks of; null when it names no rank.
std::optional<Culprit> FirstToEnd(const CaseFile& c, const std::vector<LifeSign>& signs, const OutcomeReading& outcome);

// Sets outcome, outcome_evidence, attempts and progress of a report whose verdict and causes are known. Where the signs
// of life tell nothing, the causes do: what is named for an excerpt has failed, or hangs.
void TellOutcome(const CaseFile& c, const OutcomeReading& outcome, const Ranking& ranking, Report* report);

}  // namespace ncclwhy

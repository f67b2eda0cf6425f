// What a report says about one hypothesis: culprits, evidence, fixes, how to confirm it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyze/case_file.h"
#include "analyze/rank_causes.h"
#include "analyze/template_values.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// What templates of a cause may use: what its evidence tells, who it blames, and where the job ran.
TemplateValues CaseValues(const CaseFile& c, const Hypothesis& h, const std::vector<Culprit>& culprits);

// The item's line with its note in words. `role` as in Evidence.
Evidence ItemEvidence(const CaseFile& c, const EvidenceItem& item, std::string_view role);

// Everything but `why_not`.
Cause DescribeCause(const CaseFile& c, const Hypothesis& h);

// Its words, with the culprits that it has: title, summary, fixes and the like are written anew.
void TellCause(const CaseFile& c, const Hypothesis& h, Cause* cause);

// Why not this one: what speaks against it, else what the best one has and it has not.
std::string WhyNot(const CaseFile& c, const Hypothesis& h, const Hypothesis& best);

// What would decide, for a cause that is named without being sure.
std::vector<Collect> StepsToDecide(const CaseFile& c, const Hypothesis& h, const std::vector<Culprit>& culprits);

}  // namespace ncclwhy

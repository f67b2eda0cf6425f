// What to collect when the logs do not decide: judged from what they lack.
#pragma once

#include <vector>

#include "analyze/describe_cause.h"
#include "analyze/evidence.h"
#include "job/job_model.h"
#include "ncclwhy/language.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// `items` tell whom the lost connections lead to.
std::vector<Collect> NextSteps(const JobModel& model, const std::vector<EvidenceItem>& items, const Coverage& coverage,
                               Language language);

// For logs in which nothing failed and that stop before the job does: what tells how it ended, in the words of the
// scheduler that the logs show (member `status` of its entry in kb/codes.json, JOBID in it).
Collect HowItEnded(const CaseFile& c);

}  // namespace ncclwhy

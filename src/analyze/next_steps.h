// What to collect when the logs do not decide: judged from what they lack.
#pragma once

#include <vector>

#include "analyze/evidence.h"
#include "job/job_model.h"
#include "ncclwhy/language.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// `items` tell whom the lost connections lead to.
std::vector<Collect> NextSteps(const JobModel& model, const std::vector<EvidenceItem>& items, const Coverage& coverage,
                               Language language);

}  // namespace ncclwhy

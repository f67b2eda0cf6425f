// What to collect when the logs do not decide: judged from what they lack.
#pragma once

#include <vector>

#include "job/job_model.h"
#include "ncclwhy/language.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

std::vector<Collect> NextSteps(const JobModel& model, const Coverage& coverage, Language language);

}  // namespace ncclwhy

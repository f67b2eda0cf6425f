// A log that ends while ranks are still being set up. As far as it tells nothing failed; a job that hangs looks the
// same.
#pragma once

#include "job/job_model.h"
#include "ncclwhy/language.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// The id of its warning, also for the headline of a report that has nothing worse to say.
inline constexpr char kUnfinishedInit[] = "unfinished-init";

// Adds one warning, in front of the others, and what to try next. Only to a healthy report.
void AddUnfinishedInit(const JobModel& model, Language language, Report* report);

}  // namespace ncclwhy

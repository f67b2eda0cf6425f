// The report's picture of the job: versions, hosts, communicators, transports, coverage.
#pragma once

#include <vector>

#include "job/job_model.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

Job SummariseJob(const JobModel& model, const std::vector<Culprit>& culprits);
Coverage SummariseCoverage(const JobModel& model);

}  // namespace ncclwhy

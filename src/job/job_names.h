#pragma once

#include <vector>

#include "job/separate_jobs.h"

namespace ncclwhy {

// Names each of several jobs: by its folder or job id when no other has it (run17, 204417), by its file (rank0.log), by
// the lines of its file (job.log:1-880). No two names are alike: a second one gets " (2)".
void NameJobs(const JobModel& model, std::vector<JobPart>* parts);

}  // namespace ncclwhy

#pragma once

#include <vector>

#include "job/separate_jobs.h"

namespace ncclwhy {

// Names each of several jobs: by its folder or job id when no other has it, by its file, by the lines of its file. No
// two names are alike.
void NameJobs(const JobModel& model, std::vector<JobPart>* parts);

}  // namespace ncclwhy

#pragma once

#include "job/job_model.h"

namespace ncclwhy {

// Sets Process::job. People hand over a folder with the logs of several attempts or experiments: what a rank of one did
// says nothing about the ranks of another. Processes belong together when they share a communicator or a source.
void GroupJobs(JobModel& model);

}  // namespace ncclwhy

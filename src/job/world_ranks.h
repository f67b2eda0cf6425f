// World ranks: by which number a process goes, of all the ranks that it has in its communicators.
#pragma once

#include "job/job_model.h"

namespace ncclwhy {

// Sets the rank of each process of the largest communicator, and of others of its size: a job that was started again
// has a world for each run, of other processes.
//   h100-42:30966:30966 [0] … rank 0 nranks 4 … commId 0x16cd…      h100-42:31086:31086 [0] … rank 0 nranks 4 … commId 0xee23…
void NameWorldRanks(JobModel& model);

}  // namespace ncclwhy

// Joins the processes that several sources show: one host:pid may log to its own NCCL_DEBUG_FILE and to a shared
// terminal; and one host:pid may be two processes, when containers share a name and both are pid 1.
#pragma once

#include "job/job_model.h"

namespace ncclwhy {

// Fills processes, process_of, only_process_of, launcher_of and hosts of a model whose `sources` are set. Ids are given
// in the order of sources, so they are the same whatever was read first.
void TrackProcesses(JobModel& model);

}  // namespace ncclwhy

// Joins the communicators that each process reports: by commId where NCCL prints one; split communicators by parent,
// split count and color; old releases by size and order.
#pragma once

#include "job/job_model.h"

namespace ncclwhy {

// Fills communicators, edges, largest, and the per-process state of a model whose processes are tracked. Bounded by
// limits::kCommunicatorViews and kMissingRanks; what is left out is counted in model.dropped.
void TrackCommunicators(JobModel& model);

}  // namespace ncclwhy

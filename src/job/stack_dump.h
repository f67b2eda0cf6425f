// Files that hold nothing but stacks of one process that another file is the log of: stacks/rank0.txt beside rank0.log,
// or beside the output of all ranks.
#pragma once

#include <cstdint>
#include <set>

#include "job/job_model.h"

namespace ncclwhy {

// The sources that are such dumps, by the number of their process or of their rank. Of a model whose `sources` are set.
std::set<uint32_t> StackDumps(const JobModel& model);

// Gives the stacks of a dump to their process. All other sources were tracked before, ranks are named. A dump whose
// process is not found, or of which several could be it, is nobody's: a wrong one would say that a rank that works
// hangs.
void TrackStackDump(JobModel& model, uint32_t source);

}  // namespace ncclwhy

// Lines that sound like a failure and are none here: what healthy jobs print, too, and what the job went on behind.
//
//   Failed to open libibverbs.so[.1]                     no RDMA on this host, NCCL takes sockets
//   Call to connect … failed : Connection refused        the next try came through
//   CUDA out of memory. … - caught in batch size search  the program caught it and went on, 11 more steps
//   *** STEP 41.0 ON node1 CANCELLED AT …                srun's own clean-up, no scancel
//
// Who reads a log meets them first; an answer that does not say that they were looked at is doubted.
#pragma once

#include <vector>

#include "analyze/describe_cause.h"

namespace ncclwhy {

// Those that sound worst first, each kind once, without the lines that `report` quotes for a cause. What only follows
// from the cause and is taken for one, by what its rule says of it (`follows`) or as it stands in front of the failure,
// is one of them.
void TellHarmless(const CaseFile& c, Report* report);

}  // namespace ncclwhy

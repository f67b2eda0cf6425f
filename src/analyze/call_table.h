// The calls of a communicator around the first one at which its ranks disagree, side by side.
//
//   call   ranks 0-2                          rank 3
//      4   AllReduce count 65536 float32 sum  AllReduce count 65536 float32 sum
//      5   AllReduce count 65536 float32 sum  AllGather count 1024 float32
#pragma once

#include "job/job_model.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Empty where the ranks agree, or where the logs do not hold the calls.
CallTable CallTableOf(const Communicator& communicator);

}  // namespace ncclwhy

// Faults that come long after the work had stopped, where another one came when it stopped.
#pragma once

#include <vector>

#include "analyze/evidence.h"
#include "job/job_model.h"

namespace ncclwhy {

// The links of a host go down with the last step; a quarter of an hour later its kernel kills what dumps its memory:
//   03:23:38 step 59      [Thu Dec 12 03:23:38 2024] … Link down      [Thu Dec 12 03:40:21 2024] Out of memory: Killed …
// The later one is marked as a consequence. Nothing where no work is stamped, or no fault fits its last step.
void MarkLateFaults(const JobModel& model, std::vector<EvidenceItem>& items);

}  // namespace ncclwhy

// The steps of a story on one clock: each is stamped by the clock of its host, and clocks of hosts stand apart.
//
//   node1  10:11:12 lost its peer      node2's clock is 37.2 s ahead (±0.4 s, from 1 shared event): what broke there at
//   node2  10:11:48 /dev/shm is full   10:11:48 was at 10:11:10.8 by node1's
#pragma once

#include <vector>

#include "job/job_model.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Fills `seconds` and `moved` of the steps, which stand in the order of the story. Returns the hosts whose clocks do
// not agree with another one's: by what both have seen, or because what followed is stamped before what broke.
std::vector<HostOffset> PutOnOneClock(const JobModel& model, std::vector<TimelineStep>* steps);

}  // namespace ncclwhy

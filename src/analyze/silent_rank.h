// The one rank that does not complain: all the others say that they wait (a heartbeat, a watchdog, a stack within a
// collective), and what they wait for is the rank that says nothing.
#pragma once

#include "analyze/evidence.h"

namespace ncclwhy {

// -1 unless exactly one rank is missing among those that wait. How many there are tell the communicator, the ranks that
// are known, or a line of the program ("world_size=8", "rank 1 of 6").
int32_t SilentRank(const JobModel& model, const std::vector<EvidenceItem>& items);

// The one rank that did not join where a line says that one did not, and all others complain; -1: that is not so.
//   Timed out after 1801 seconds waiting for clients. 15/16 clients joined.
int32_t MissingRank(const std::vector<EvidenceItem>& items);

}  // namespace ncclwhy

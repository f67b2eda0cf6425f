// How far the clocks of hosts stand apart, where both have seen one event: no rank completes the initialisation of a
// communicator before each of its ranks has begun it. With starts s and ends c as printed, the clock of b is ahead of
// that of a by no less than max(s_b) - min(c_a) and no more than min(c_b) - max(s_a).
//
//   2025-03-12T10:11:12.125Z node1:71:90 [0] NCCL INFO ncclCommInitRank comm 0x55d0 rank 0 nranks 2 … - Init START
//   2025-03-12T10:11:12.900Z node1:71:90 [0] NCCL INFO ncclCommInitRank comm 0x55d0 rank 0 nranks 2 … - Init COMPLETE
#pragma once

#include <cmath>
#include <string_view>
#include <vector>

#include "job/job_model.h"

namespace ncclwhy {

struct HostClock {
  std::string_view host;
  std::string_view reference;  // see HostClocks
  double ahead = 0;            // seconds that its clock is ahead of the reference's: the middle of what is possible
  double error = 0;            // half of that
  int communicators = 0;       // whose initialisation both have seen
  // That the clocks agree is ruled out. Where it is not, the middle is no offset to go by.
  bool apart() const { return std::abs(ahead) > error; }
};

struct HostClocks {
  // By name of the host; the reference is the first: the host of rank 0, unless its clock is the odd one out. Nothing
  // with fewer than two hosts; hosts without time stamps, or with those of another form, are left out.
  std::vector<HostClock> measured;
  std::string_view reference;
  // Whose stamps contradict what both have seen: a clock was set meanwhile. By name.
  std::vector<std::string_view> contrary;
};

// Views are of the model. Empty where there is one host, or no stamp.
HostClocks AlignClocks(const JobModel& model);

}  // namespace ncclwhy

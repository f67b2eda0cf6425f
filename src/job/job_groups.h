// Which processes are one job, by what they share. People hand over a folder with the logs of several attempts or
// experiments.
#pragma once

#include <cstdint>
#include <vector>

#include "job/job_model.h"

namespace ncclwhy {

inline constexpr uint32_t kNobody = UINT32_MAX;  // no number of a group or run

// Union-find over the processes. Finding shortens paths, so it is no const; not thread-safe.
class ProcessGroups {
 public:
  explicit ProcessGroups(size_t processes);
  uint32_t Find(uint32_t process);
  // The smaller number stays, so that the result does not depend on the order of calls.
  void Join(uint32_t a, uint32_t b);

 private:
  std::vector<uint32_t> parent_;
};

// Processes that share a communicator. Releases before 2.18 print no commId: where two runs of one size look like one
// communicator, a rank that comes again in a source begins the next run there.
ProcessGroups GroupByCommunicator(const JobModel& model);

// Sets Process::job: what a rank of one job did says nothing about the ranks of another. Processes belong together when
// they share a communicator or a source. All stay -1 where there is one job, or more than limits::kJobsApart.
void GroupJobs(JobModel& model);

}  // namespace ncclwhy

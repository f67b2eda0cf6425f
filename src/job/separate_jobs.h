// Several jobs in one place: a folder of jobs, a stream in which one run stands behind the other.
//
// In doubt there is one job: a wrong cut takes the evidence apart that only all ranks together give. Two are told apart
// by communicators that share nobody, one behind the other in a stream or in files of their own; by a world of which
// every rank is known, so that a stranger is none of it; by folders side by side that are each a job by themselves.
// Another attempt at the same job is no other job: its launcher says so, or the same ranks begin again on the same
// hosts in the same files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "job/following_runs.h"
#include "job/job_model.h"

namespace ncclwhy {

// Lines `first` to `last` of a source; both are included.
struct Span {
  SourceId source;
  uint32_t first = 1;
  uint32_t last = UINT32_MAX;  // to its end
  bool whole() const { return first == 1 && last == UINT32_MAX; }
};

struct JobPart {
  std::string name;         // what tells it from the others: a folder, a file, lines of a file
  std::vector<Span> spans;  // by source, each source at most once
};

enum class Apart : uint8_t { kJobs, kAttempts };  // kAttempts: attempts at one job, too

// The jobs in the order in which they begin; none when there is one job, or more than limits::kJobsApart. `marks`: of
// each source, in the order of their lines. A source that tells nothing of any job is part of all of them.
std::vector<JobPart> SeparateJobs(const JobModel& model, const std::vector<std::vector<Mark>>& marks,
                                  Apart apart = Apart::kJobs);

}  // namespace ncclwhy

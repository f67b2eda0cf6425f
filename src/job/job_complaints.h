// What in the logs of a job sounds wrong: sentences of programs, and NCCL's warnings. What of it is wrong nobody says
// here.
#pragma once

#include <string_view>
#include <vector>

#include "base/ids.h"
#include "job/job_model.h"

namespace ncclwhy {

// Refers to the facts of its source.
struct Complaint {
  SourceId source;
  uint32_t line = 0;
  ProcessId process;  // invalid: nobody's
  std::string_view text;
};

// In the order of sources and lines; a sentence that several say (digits alone are others) is there once, the first
// time. At most limits::kComplaintsRead: those of the first sources, by name.
std::vector<Complaint> ComplaintsOf(const JobModel& model);

}  // namespace ncclwhy

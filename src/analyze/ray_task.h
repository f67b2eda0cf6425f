// The process of which a stack tells that Ray's driver prints.
#pragma once

#include "job/job_model.h"
#include "rules/engine/finding.h"

namespace ncclwhy {

struct RayTask {
  std::string_view host;  // an address; empty: the line stands in no such stack
  int64_t pid = -1;
};

// The header of the stack that the finding's line ends or stands in: the nearest one before it. Stacks of a task within
// a task follow each other, the innermost last.
//   ray.exceptions.RayTaskError(OutOfMemoryError): ray::Worker.step() (pid=4415, ip=10.0.3.17, actor_id=6d3c…)
RayTask RayTaskOf(const JobModel& model, const Finding& finding);

}  // namespace ncclwhy

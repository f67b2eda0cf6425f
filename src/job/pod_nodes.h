// Pod nodes: on which node a pod ran, as kubectl's answers beside the logs tell.
//   Name:  sft-worker-2 … Node:  gx7/10.4.0.17      NAME  READY  …  IP  NODE      sft-worker-2  0/1  …  10.1.3.4  gx7
#pragma once

#include <string>
#include <string_view>

#include "job/job_model.h"

namespace ncclwhy {

// Empty where nothing or more than one node is told. Looks through the rows of all sources (SideRow).
std::string NodeOfPod(const JobModel& model, std::string_view pod);
// The only pod of the job, by its logs, that is told to have run there; empty where there is none or several.
std::string PodOnNode(const JobModel& model, std::string_view node);

}  // namespace ncclwhy

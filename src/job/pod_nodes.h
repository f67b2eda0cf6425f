// Pod nodes: on which node a pod ran, as kubectl's answers beside the logs tell.
//   Name:  sft-worker-2 … Node:  gx7/10.4.0.17      NAME  READY  …  IP  NODE      sft-worker-2  0/1  …  10.1.3.4  gx7
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "job/job_model.h"

namespace ncclwhy {

// Read once from the rows of all sources (SideRow); views of the model's facts.
class PodNodes {
 public:
  explicit PodNodes(const JobModel& model);
  // Empty where nothing or more than one node is told.
  std::string NodeOf(std::string_view pod) const;
  // The only pod of the job, by its logs, that is told to have run there; empty where there is none or several.
  std::string PodOn(std::string_view node) const;

 private:
  std::map<std::string_view, std::set<std::string_view>> nodes_;  // by pod
  std::map<std::string_view, std::set<std::string_view>> pods_;   // of the job, by node
};

}  // namespace ncclwhy

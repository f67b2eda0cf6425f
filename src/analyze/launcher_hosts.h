// Hosts that a launcher's own lines tell of processes whose lines name none:
//   srun: error: node3: task 1: Aborted
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyze/evidence.h"
#include "job/job_model.h"

namespace ncclwhy {

// By process. Only of those that stand behind the label of such a launcher.
std::map<ProcessId, std::string> HostsByLauncher(const JobModel& model, const std::vector<EvidenceItem>& items);

// By rank, where tasks are ranks: empty when another launcher stands between the two, as torchrun under srun does, or
// when a rank whose host is known ran elsewhere.
std::map<int32_t, std::string> HostsOfTasks(const JobModel& model, const std::vector<EvidenceItem>& items);

}  // namespace ncclwhy

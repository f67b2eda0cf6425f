// Whether the whole job stands on one host, where nothing goes over a network.
#pragma once

#include <vector>

#include "job/job_model.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule_list.h"

namespace ncclwhy {

// Known of the largest communicator: "nNodes 1", or each of its ranks has a log, all from one host.
bool IsOnOneHost(const JobModel& model);

// Erases what rules say that are `between_hosts`, where IsOnOneHost.
void DropBetweenHosts(const RuleList& rules, const JobModel& model, std::vector<Finding>* findings);

}  // namespace ncclwhy

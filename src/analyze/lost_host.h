// To which host the connections led that were lost: whoever was at their other end has gone first.
//   socketProgress: Connection closed by remote peer nid001231<44536>
#pragma once

#include <string>
#include <vector>

#include "analyze/evidence.h"
#include "job/job_model.h"

namespace ncclwhy {

// The only other host that lines about lost peers name; empty when they name none, or several.
std::string LostHost(const JobModel& model, const std::vector<EvidenceItem>& items);

}  // namespace ncclwhy

// Followers: the ranks of a failed job that complain or end only because another one broke.
//   rank 2: Got completion from peer 10.77.0.12 with status=12 …      behind the port error of rank 0's host
#pragma once

#include <vector>

#include "analyze/case_file.h"
#include "analyze/rank_causes.h"
#include "job/life_sign.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Fills `followers` of a report whose first cause has its culprits: empty where nobody is blamed, where all wait for
// somebody, as the cause says so itself, and where more are blamed than follow.
void TellFollowers(const CaseFile& c, const Hypothesis& best, const std::vector<LifeSign>& signs, Report* report);

}  // namespace ncclwhy

// What the analysis found: the views difference, doubtful_setting, finding and cause.
#pragma once

#include <vector>

#include "analyze/timeline.h"
#include "ncclwhy/report.h"
#include "rules/engine/rule_set.h"
#include "store/database.h"

namespace ncclwhy {

Status AddFindingRows(Database& database, const RuleSet& rules, const std::vector<Finding>& findings);
// The views difference and doubtful_setting.
Status AddDifferenceRows(Database& database, const std::vector<RankDifference>& differences);
Status AddSettingRows(Database& database, const JobModel& model, const std::vector<DoubtfulSetting>& settings);
Status AddComparisonRows(Database& database, const JobModel& model, const JobComparison& comparison);
Status AddCauseRows(Database& database, const Report& report);

}  // namespace ncclwhy

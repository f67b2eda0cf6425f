// What the analysis found on its way: the views difference, doubtful_setting and finding. Its answer is
// report_tables.h.
#pragma once

#include <vector>

#include "analyze/timeline.h"
#include "rules/engine/rule_set.h"
#include "store/database.h"

namespace ncclwhy {

// Rows behind those that are there already: pattern rules come first, query rules later.
Status AddFindingRows(Database& database, const RuleSet& rules, const std::vector<Finding>& findings);
// The views difference and doubtful_setting.
Status AddDifferenceRows(Database& database, const std::vector<RankDifference>& differences);
// `model` names sources and processes of the places.
Status AddSettingRows(Database& database, const JobModel& model, const std::vector<DoubtfulSetting>& settings);
Status AddComparisonRows(Database& database, const JobModel& model, const JobComparison& comparison);

}  // namespace ncclwhy

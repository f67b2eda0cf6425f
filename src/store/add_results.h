// What the analysis found on its way: the views difference, doubtful_setting and finding. Its answer is
// report_tables.h.
#pragma once

#include <vector>

#include "analyze/timeline.h"
#include "rules/engine/rule_set.h"
#include "store/database.h"

namespace ncclwhy {

// Rows behind those that are there already: pattern rules come first, query rules later.
// Each of these adds rows to tables that exist already, in the caller's transaction. An error is SQLite's, and then
// some of the rows may be there: the caller rolls back.
// A rule is named by its id; a finding whose rule is not of `rules` (the program's own) by its message. A finding that
// speaks for several causes has the strongest in `cause`, all in `causes`.
Status AddFindingRows(Database& database, const RuleSet& rules, const std::vector<Finding>& findings);
// The views difference and doubtful_setting.
// One row a difference: the groups of ranks with their values as a sentence in both languages, and the place of the
// group that differs.
Status AddDifferenceRows(Database& database, const std::vector<RankDifference>& differences);
// `model` names sources and processes of the places.
//    node07:4711:4711 [0] NCCL INFO NCCL_IB_HCA set by environment to mlx5_9
Status AddSettingRows(Database& database, const JobModel& model, const std::vector<DoubtfulSetting>& settings);
// Both of the above.
Status AddComparisonRows(Database& database, const JobModel& model, const JobComparison& comparison);

}  // namespace ncclwhy

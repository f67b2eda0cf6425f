// Timeline: the job as tables. The analyzer fills it and asks it; src/store implements it with SQLite.
#pragma once

#include <string_view>
#include <vector>

#include "analyze/doubtful_settings.h"
#include "analyze/rank_differences.h"
#include "job/job_model.h"
#include "ncclwhy/report.h"
#include "ncclwhy/status.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {

// What was seen by comparing ranks with each other and settings with the knowledge of variables.
struct JobComparison {
  std::vector<RankDifference> differences;
  std::vector<DoubtfulSetting> settings;
};

class Timeline {
 public:
  virtual ~Timeline() = default;
  // Called before any query, and again for the next job, of which all is new: sources, processes, ranks,
  // communicators, events, connections, environment, collectives.
  virtual Status Load(const JobModel& model) = 0;
  // Called once behind Load: the views difference and doubtful_setting. Borrowed like the model.
  virtual Status AddComparison(const JobModel& model, const JobComparison& comparison) = 0;
  // Called after the pattern rules ran and again after the query rules ran, each time with what is new.
  virtual Status AddFindings(const JobModel& model, const RuleSet& rules, const std::vector<Finding>& findings) = 0;
  virtual Status AddReport(const Report& report) = 0;
  // Read-only SQL over the public views, with step and time limits.
  virtual Result<std::vector<QueryRow>> Query(std::string_view sql) = 0;
};

}  // namespace ncclwhy

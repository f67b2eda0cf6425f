// Differences between the ranks of one job: versions, environment, networks, paths. They are worth a look even in a job
// that works.
#pragma once

#include <string>
#include <vector>

#include "analyze/rank_list.h"
#include "job/job_model.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

struct RankDifference {
  std::string id;                  // ranks.<trait>, ranks.environment or ranks.same-gpu
  std::string name;                // trait (rank_traits.h), variable, or bus id
  std::string label;               // the same in the reader's language
  std::vector<ValueGroup> groups;  // the minority first
  Place place;                     // a line of the first group
};

// The most telling first.
std::vector<RankDifference> FindRankDifferences(const JobModel& model, Language language);

// As warnings of the report, at most kRankDifferences; differences of the same ranks are one warning. What a cause or
// warning of the report says already is left out.
void AddRankDifferences(const JobModel& model, Language language, Report* report);
inline constexpr size_t kRankDifferences = 10;

}  // namespace ncclwhy

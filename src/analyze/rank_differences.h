// Differences between the ranks of one job: versions, environment, networks, paths. Facts, no judgement: which of them
// are worth a word is what rules ask the view `difference`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyze/rank_words.h"
#include "job/job_model.h"

namespace ncclwhy {

struct RankDifference {
  std::string_view kind;           // trait, variable or gpu (two ranks of a communicator on one)
  std::string name;                // trait (rank_traits.h), variable, or bus id
  std::vector<ValueGroup> groups;  // the minority first; gpu: one group, who shares it
  bool must_agree = false;         // a variable that needs one value on all ranks, as the knowledge of variables says
  Place place;                     // a line of the rarest value that a line tells
};

// In the order of traits, then of variables.
std::vector<RankDifference> FindRankDifferences(const JobModel& model);

}  // namespace ncclwhy

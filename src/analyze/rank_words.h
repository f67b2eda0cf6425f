// Ranks in a few words: "rank 7 on gpu-b2", "ranks 4-7 on gpu-b2", "16 ranks on 2 hosts (gpu-b2, gpu-b3)".
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "job/job_model.h"
#include "ncclwhy/language.h"

namespace ncclwhy {

// Who holds a value. Owns its text: it may outlive the model.
struct RankRef {
  int32_t rank = -1;  // in the job's largest communicator; -1 when unknown
  std::string host;
  int64_t pid = -1;
  auto operator<=>(const RankRef&) const = default;
};
RankRef RefOf(const Process& process);

// A few words, whatever the number of ranks.
std::string DescribeRanks(std::vector<RankRef> ranks, Language language);

// One value and who has it; an empty one is a variable that is not set.
struct ValueGroup {
  std::string value;
  std::vector<RankRef> ranks;
};
// The rarest value first; of equally rare ones the one without the lowest rank.
void SortMinorityFirst(std::vector<ValueGroup>* groups);
// "rank 7 on gpu-b2: Socket; the other 15: IB". At most three groups are told, the rest is counted.
std::string DescribeGroups(const std::vector<ValueGroup>& groups, Language language);

}  // namespace ncclwhy

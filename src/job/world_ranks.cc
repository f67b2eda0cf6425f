#include "job/world_ranks.h"

namespace ncclwhy {

void NameWorldRanks(JobModel& model) {
  if (!model.largest.valid()) return;
  const int64_t size = model.communicators[model.largest.value].nranks;
  for (const Communicator& c : model.communicators) {
    if (c.nranks != size) continue;
    for (const Rank& r : c.ranks) {
      if (!r.seen || r.rank < 0) continue;
      Process& p = model.processes[r.process.value];
      if (c.id == model.largest || p.rank < 0) p.rank = r.rank;
    }
  }
}

}  // namespace ncclwhy

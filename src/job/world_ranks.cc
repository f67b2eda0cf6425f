#include "job/world_ranks.h"

#include "base/numbers.h"

namespace ncclwhy {
namespace {

// Of a process of which an excerpt has only the line of its timings, which names no communicator.
//   … Init timings - ncclCommInitRank: rank 1 nranks 16 total 1.57 (kernels 0.25, …)
void NameByTimings(JobModel& model, int64_t size) {
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& facts = *model.sources[s];
    for (const Event& e : facts.events) {
      if (e.kind != EventKind::kInitTimings) continue;
      const ProcessId id = model.ProcessOf(SourceId{s}, e.process, -1);
      if (!id.valid() || model.processes[id.value].rank >= 0) continue;
      const auto rank = ParseInt<int32_t>(facts.Get(e, FieldId::kRank));
      if (rank && ParseInt(facts.Get(e, FieldId::kNranks)).value_or(-1) == size) model.processes[id.value].rank = *rank;
    }
  }
}

}  // namespace

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
  NameByTimings(model, size);
}

}  // namespace ncclwhy

#include "job/recorded_process.h"

#include <algorithm>
#include <set>

#include "base/numbers.h"
#include "job/rank_in_file_name.h"

namespace ncclwhy {
namespace {

// The processes that hold a rank in a communicator of the size of the world, by NCCL's own lines.
std::set<ProcessId> Holders(const JobModel& model, int32_t rank, int64_t world) {
  std::set<ProcessId> holders;
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& facts = *model.sources[s];
    if (IsRecord(facts)) continue;
    for (const Event& e : facts.events) {
      if (e.kind != EventKind::kCommInitStart && e.kind != EventKind::kCommInitComplete) continue;
      if (ParseInt<int32_t>(facts.Get(e, FieldId::kRank)) != rank) continue;
      if (ParseInt(facts.Get(e, FieldId::kNranks)) != world) continue;
      if (const ProcessId id = model.ProcessOf(SourceId{s}, e.process, e.launcher_rank); id.valid()) holders.insert(id);
    }
  }
  return holders;
}

int64_t WorldOf(const SourceFacts& facts) {
  int64_t world = -1;
  for (const Event& e : facts.events) {
    if (e.kind == EventKind::kProcessGroup) {
      world = std::max(world, ParseInt(facts.Get(e, FieldId::kNranks)).value_or(-1));
    }
  }
  return world;
}

ProcessId Find(const JobModel& model, const SourceFacts& facts, int32_t rank) {
  const std::set<ProcessId> holders = Holders(model, rank, WorldOf(facts));
  if (holders.size() == 1) return *holders.begin();
  // By NCCL's lines two processes hold it: neither launcher nor name could decide that.
  // Else the one that its launcher or its file's name calls so: unless NCCL's lines left the choice open.
  ProcessId found;
  for (const Process& p : model.processes) {
    if (p.rank != rank || !holders.empty()) continue;
    if (found.valid()) return {};
    found = p.id;
  }
  return found;
}

}  // namespace

bool IsRecord(const SourceFacts& facts) {
  // A dump has no lines of text; a refused one is known by its counter.
  if (facts.counters.Get(Counter::kLines) != 0) return false;
  return facts.counters.Get(Counter::kRefusedRecords) != 0 || facts.counters.Get(Counter::kRecords) != 0 ||
         (!facts.events.empty() && facts.events[0].kind == EventKind::kProcessGroup);
}

void TrackRecord(JobModel& model, uint32_t source) {
  const SourceFacts& facts = *model.sources[source];
  if (facts.processes.empty()) return;  // refused
  int32_t rank = facts.processes[0].launcher_rank;
  if (rank < 0) rank = RankInFileName(facts.name);
  ProcessId id = rank < 0 ? ProcessId{} : Find(model, facts, rank);
  if (!id.valid()) {
    Process p;
    p.id = ProcessId{static_cast<uint32_t>(model.processes.size())};
    p.rank = p.launcher_rank = rank;
    p.recorded_only = true;
    model.processes.push_back(p);
    id = p.id;
  }
  if (model.processes[id.value].rank < 0) model.processes[id.value].rank = rank;  // its groups may not tell
  model.processes[id.value].parts.emplace_back(SourceId{source}, 0U);
  model.process_of[source].assign(1, id);
  model.only_process_of[source] = id;
}

}  // namespace ncclwhy

#include "job/stack_dump.h"

#include <algorithm>

#include "base/numbers.h"
#include "job/rank_in_file_name.h"

namespace ncclwhy {
namespace {

// py-spy's or gdb's output by itself: no event of another kind, no header, no label.
bool HoldsOnlyStacks(const SourceFacts& facts) {
  const bool stacks =
      std::all_of(facts.events.begin(), facts.events.end(), [](const Event& e) { return e.kind == EventKind::kStack; });
  const bool nobody = std::all_of(facts.processes.begin(), facts.processes.end(),
                                  [](const ProcessFacts& p) { return p.pid < 0 && p.launcher_rank < 0; });
  return !facts.events.empty() && stacks && nobody && facts.counters.Get(Counter::kNccl) == 0;
}

// The number of the process that the stacks are of; -1 where they tell none, or several.
int64_t PidOf(const SourceFacts& facts) {
  int64_t pid = -1;
  for (const Event& e : facts.events) {
    const int64_t said = ParseInt(facts.Get(e, FieldId::kPid)).value_or(-1);
    if (said >= 0 && pid >= 0 && said != pid) return -1;
    pid = std::max(pid, said);
  }
  return pid;
}

// -1 unless the name says `rank`: of dump-3.txt the 3 may be anything.
int32_t RankInName(const SourceFacts& facts) {
  const NumberInName in = NumberInFileName(facts.name);
  return in.kind == kRank ? in.number : -1;
}

}  // namespace

std::set<uint32_t> StackDumps(const JobModel& model) {
  std::set<uint32_t> dumps;
  std::set<int64_t> pids;
  std::set<int32_t> ranks;
  // A dump of a process of which nothing else is known is a source like any other: its process would be nobody's.
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& facts = *model.sources[s];
    if (HoldsOnlyStacks(facts)) {
      dumps.insert(s);
      continue;
    }
    for (const ProcessFacts& p : facts.processes) {
      if (p.pid >= 0) pids.insert(p.pid);
    }
    ranks.insert(RankInName(facts));
  }
  ranks.erase(-1);
  std::erase_if(dumps, [&](uint32_t s) {
    return !pids.contains(PidOf(*model.sources[s])) && !ranks.contains(RankInName(*model.sources[s]));
  });
  return dumps;
}

void TrackStackDump(JobModel& model, uint32_t source) {
  const SourceFacts& facts = *model.sources[source];
  model.process_of[source].assign(facts.processes.size(), ProcessId{});
  const int64_t pid = PidOf(facts);
  const int32_t rank = RankInName(facts);
  // Exactly one that fits; pids come again on other hosts.
  const auto only = [&](const auto& is) {
    ProcessId found;
    for (const Process& p : model.processes) {
      if (!is(p)) continue;
      if (found.valid()) return ProcessId{};
      found = p.id;
    }
    return found;
  };
  ProcessId id =
      only([&](const Process& p) { return pid >= 0 && p.pid == pid && (rank < 0 || p.rank < 0 || p.rank == rank); });
  // By the rank in the name only where the pid tells none.
  if (!id.valid() && rank >= 0) id = only([&](const Process& p) { return p.rank == rank; });
  if (!id.valid()) return;
  std::fill(model.process_of[source].begin(), model.process_of[source].end(), id);
  model.only_process_of[source] = id;
}

}  // namespace ncclwhy

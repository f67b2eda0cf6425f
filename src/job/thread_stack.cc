#include "job/thread_stack.h"

#include <map>

#include "base/numbers.h"

namespace ncclwhy {
namespace {

// The process that has a pid, if it is one.
std::map<int64_t, ProcessId> ProcessesByPid(const JobModel& model) {
  std::map<int64_t, ProcessId> by_pid;
  for (const Process& p : model.processes) {
    if (p.pid < 0 || p.rank < 0) continue;
    const auto [it, first] = by_pid.try_emplace(p.pid, p.id);
    if (!first) it->second = {};
  }
  return by_pid;
}

// A rank, else a pid on a host, else the source: threads of one process have the same one.
std::string OwnerOf(const ThreadStack& s) {
  const std::string source = std::to_string(s.place.source.value);
  if (s.rank >= 0) return "r" + std::to_string(s.rank);
  if (s.pid < 0) return "s" + source;
  // Equal owners: threads of one process, whatever file they came from.
  return "p" + std::to_string(s.pid) + "@" + (s.host.empty() ? source : std::string(s.host));
}

}  // namespace

std::vector<ThreadStack> FindStacks(const JobModel& model) {
  const std::map<int64_t, ProcessId> by_pid = ProcessesByPid(model);
  std::vector<ThreadStack> stacks;
  for (uint32_t i = 0; i < model.sources.size(); ++i) {
    const SourceFacts& facts = *model.sources[i];
    for (const Event& e : facts.events) {
      if (e.kind != EventKind::kStack) continue;
      ThreadStack s;
      s.frames = facts.Get(e, FieldId::kFrames);
      // A thread of C++ alone shows nothing of the program.
      if (s.frames == "<no Python frame>") continue;
      s.place = {SourceId{i}, e.line, e.offset, facts.Str(e.text)};
      s.process = model.ProcessOf(s.place.source, e.process, e.launcher_rank);
      s.thread = facts.Get(e, FieldId::kProcess);
      s.function = facts.Get(e, FieldId::kFunction);
      s.program = facts.Get(e, FieldId::kProgram);
      s.rank = ParseInt<int32_t>(facts.Get(e, FieldId::kRank)).value_or(model.RankOf(s.process));
      s.pid = ParseInt(facts.Get(e, FieldId::kPid)).value_or(-1);
      s.host = facts.Get(e, FieldId::kHost);
      // Its pid names a process that another source shows.
      const auto said = by_pid.find(s.pid);
      const ProcessId named = said == by_pid.end() ? ProcessId{} : said->second;
      if (s.rank < 0) s.rank = model.RankOf(named);
      if (s.process.valid()) {
        if (s.pid < 0) s.pid = model.processes[s.process.value].pid;
        if (s.host.empty()) s.host = model.processes[s.process.value].host;
      }
      if (s.host.empty() && named.valid()) s.host = model.processes[named.value].host;
      s.owner = OwnerOf(s);
      stacks.push_back(std::move(s));
    }
  }
  return stacks;
}

}  // namespace ncclwhy

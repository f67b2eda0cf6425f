#include "job/process_tracker.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/numbers.h"
#include "job/recorded_process.h"

namespace ncclwhy {
namespace {

// What tells two processes with the same host:pid apart: the ranks they hold in each communicator.
using Claims = std::map<std::string_view, std::set<int64_t>>;  // comm id -> ranks

struct Part {
  uint32_t source;
  uint32_t index;
};

bool Conflict(const Claims& a, const Claims& b) {
  for (const auto& [id, ranks] : a) {
    const auto it = b.find(id);
    if (it == b.end()) continue;
    const bool disjoint = std::none_of(ranks.begin(), ranks.end(), [&](int64_t r) { return it->second.contains(r); });
    if (disjoint) return true;
  }
  return false;
}

Place PlaceOf(const JobModel& model, uint32_t source, const LineRef& ref) {
  return {SourceId{source}, ref.line, ref.offset, model.sources[source]->Str(ref.text)};
}

void AddPart(JobModel& model, Process& p, const Part& part) {
  const SourceFacts& facts = *model.sources[part.source];
  const ProcessFacts& f = facts.processes[part.index];
  if (p.parts.empty()) p.first = PlaceOf(model, part.source, f.first);
  p.parts.emplace_back(SourceId{part.source}, part.index);
  if (p.host.empty()) p.host = facts.Str(f.host);
  if (p.pid < 0) p.pid = f.pid;
  if (p.pod.empty()) p.pod = facts.Str(f.pod);
  if (p.launcher_rank < 0) p.launcher_rank = f.launcher_rank;
  if (p.launcher == LauncherLabel::kNone && f.launcher_rank >= 0) p.launcher = f.launcher;
  p.lines += f.lines;
  p.warns += f.warns;
  // Several entries of one source can be one process: its lines with a header and those without.
  if (p.last.source != SourceId{part.source} || p.last.line < f.last.line) {
    p.last = PlaceOf(model, part.source, f.last);
    p.last_torn = f.last_torn;
  }
  model.process_of[part.source][part.index] = p.id;
}

// How a file name says its number: rank0.log, or worker-2.log and out.7.
enum NumberKind : uint8_t { kRank, kBare };
struct NumberInName {
  int32_t number = -1;
  NumberKind kind = kBare;
};

NumberInName NumberInFileName(std::string_view path) {
  const size_t slash = path.find_last_of("/:");
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  // A named number wins: rank3, rank_3, worker-2, proc0, task7.
  for (const std::string_view word : {"rank", "worker", "proc", "task", "node", "r"}) {
    for (size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
      if (word == "r" && at != 0) continue;
      size_t p = at + word.size();
      while (p < name.size() && (name[p] == '-' || name[p] == '_' || name[p] == '.')) ++p;
      size_t end = p;
      while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
      if (end == p || end - p > 6) continue;
      if (const auto v = ParseInt<int32_t>(name.substr(p, end - p))) return {*v, word == "rank" ? kRank : kBare};
    }
  }
  int32_t found = -1;
  for (size_t p = 0; p < name.size();) {
    if (name[p] < '0' || name[p] > '9') {
      ++p;
      continue;
    }
    size_t end = p;
    while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
    if (found >= 0 || end - p > 6) return {};
    found = ParseInt<int32_t>(name.substr(p, end - p)).value_or(-1);
    p = end;
  }
  return {found, kBare};
}

}  // namespace

int32_t RankInFileName(std::string_view path) { return NumberInFileName(path).number; }

void TrackProcesses(JobModel& model) {
  const auto source_count = static_cast<uint32_t>(model.sources.size());
  model.process_of.resize(source_count);
  model.only_process_of.assign(source_count, ProcessId{});
  model.launcher_of.resize(source_count);

  // Group by host:pid, in source order, so that ids are deterministic.
  std::map<std::pair<std::string_view, int64_t>, std::vector<ProcessId>> groups;
  std::map<ProcessId, Claims> claims_of;
  const auto new_process = [&]() -> Process& {
    Process p;
    p.id = ProcessId{static_cast<uint32_t>(model.processes.size())};
    model.processes.push_back(std::move(p));
    return model.processes.back();
  };

  for (uint32_t s = 0; s < source_count; ++s) {
    const SourceFacts& facts = *model.sources[s];
    if (IsRecord(facts)) continue;  // when the processes that print lines are known
    model.process_of[s].assign(facts.processes.size(), ProcessId{});
    // The claims of all processes of the source in one pass.
    std::vector<Claims> claims(facts.processes.size());
    for (const Event& e : facts.events) {
      if (e.process == kNoProcess) continue;
      if (e.kind != EventKind::kCommInitStart && e.kind != EventKind::kCommInitComplete) continue;
      const std::string_view id = facts.Get(e, FieldId::kCommId);
      const auto rank = ParseInt(facts.Get(e, FieldId::kRank));
      if (!id.empty() && rank) claims[e.process][id].insert(*rank);
    }
    for (uint32_t i = 0; i < facts.processes.size(); ++i) {
      const ProcessFacts& f = facts.processes[i];
      if (f.pid < 0) continue;  // a stream without header, below
      auto& group = groups[{facts.Str(f.host), f.pid}];
      Process* target = nullptr;
      for (const ProcessId id : group) {
        if (!Conflict(claims_of[id], claims[i])) {
          target = &model.processes[id.value];
          break;
        }
      }
      if (target == nullptr) {
        target = &new_process();
        group.push_back(target->id);
      }
      for (auto& [id, ranks] : claims[i]) claims_of[target->id][id].insert(ranks.begin(), ranks.end());
      AddPart(model, *target, Part{s, i});
    }
    // launcher rank -> process, where it is unambiguous: under `srun -l` with torchrun one label covers many ranks.
    std::set<int32_t> ambiguous;
    std::set<ProcessId> distinct;
    for (uint32_t i = 0; i < facts.processes.size(); ++i) {
      const ProcessId id = model.process_of[s][i];
      if (!id.valid()) continue;
      distinct.insert(id);
      const int32_t r = facts.processes[i].launcher_rank;
      if (r < 0) continue;
      const auto [it, fresh] = model.launcher_of[s].emplace(r, id);
      if (!fresh && it->second != id) ambiguous.insert(r);
    }
    for (const int32_t r : ambiguous) model.launcher_of[s].erase(r);
    // Streams that never show a header: the launcher's rank joins them to a process, else they are one of their own.
    for (uint32_t i = 0; i < facts.processes.size(); ++i) {
      const ProcessFacts& f = facts.processes[i];
      if (f.pid >= 0 || ambiguous.contains(f.launcher_rank)) continue;
      // Lines without header or prefix between those of several processes are nobody's.
      if (f.launcher_rank < 0 && facts.Str(f.pod).empty() && !distinct.empty()) continue;
      // "[rank1]: Traceback …" beside the lines of the only process, which have no prefix.
      if (f.launcher_rank >= 0 && distinct.size() == 1 && model.launcher_of[s].empty() &&
          model.processes[distinct.begin()->value].launcher_rank < 0) {
        model.processes[distinct.begin()->value].launcher_rank = f.launcher_rank;
        model.launcher_of[s].emplace(f.launcher_rank, *distinct.begin());
      }
      if (const auto it = model.launcher_of[s].find(f.launcher_rank); it != model.launcher_of[s].end()) {
        Process& p = model.processes[it->second.value];
        model.process_of[s][i] = p.id;
        p.lines += f.lines;
        if (p.last.source == SourceId{s} && p.last.line < f.last.line) {
          p.last = PlaceOf(model, s, f.last);
          p.last_torn = f.last_torn;
        }
        continue;
      }
      Process& p = new_process();
      AddPart(model, p, Part{s, i});
      distinct.insert(p.id);
      if (f.launcher_rank >= 0) model.launcher_of[s].emplace(f.launcher_rank, p.id);
    }
    // A file of one rank that died before its first NCCL line is a process all the same, even when the file is empty.
    if (distinct.empty() && source_count > 1 && RankInFileName(facts.name) >= 0) {
      Process& p = new_process();
      p.lines = facts.counters.Get(Counter::kLines);
      p.first = p.last = Place{SourceId{s}, 0, 0, {}};
      distinct.insert(p.id);
    }
    if (distinct.size() == 1) model.only_process_of[s] = *distinct.begin();
  }

  // File names tell ranks only when each file holds one process and the numbers differ.
  // Beside rank0.log and rank1.log, launch-node40.log is no rank's.
  std::map<int32_t, std::vector<ProcessId>> named;
  NumberKind kind = kBare;
  for (uint32_t s = 0; s < source_count; ++s) {
    const NumberInName in = NumberInFileName(model.sources[s]->name);
    if (in.number >= 0 && model.only_process_of[s].valid()) kind = std::min(kind, in.kind);
  }
  for (uint32_t s = 0; s < source_count; ++s) {
    const ProcessId id = model.only_process_of[s];
    const NumberInName in = NumberInFileName(model.sources[s]->name);
    if (!id.valid() || in.number < 0 || (kind == kRank && in.kind != kRank)) continue;
    auto& list = named[in.number];
    if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
  }
  // stacks/rank0.txt beside rank0.log: the one that NCCL knows.
  for (auto& [r, list] : named) {
    const auto unknown = [&](ProcessId id) { return model.processes[id.value].pid < 0; };
    if (!std::all_of(list.begin(), list.end(), unknown)) std::erase_if(list, unknown);
  }
  const bool usable = std::all_of(named.begin(), named.end(), [](const auto& e) { return e.second.size() == 1; });
  std::map<int32_t, int> launchers;
  for (const Process& p : model.processes) {
    if (p.launcher_rank >= 0) ++launchers[p.launcher_rank];
  }
  for (Process& p : model.processes) {
    if (p.launcher_rank >= 0 && launchers[p.launcher_rank] == 1) p.rank = p.launcher_rank;
  }
  if (usable && named.size() > 1) {
    for (const auto& [r, list] : named) {
      if (model.processes[list[0].value].rank < 0) model.processes[list[0].value].rank = r;
    }
  }

  for (uint32_t s = 0; s < source_count; ++s) {
    if (IsRecord(*model.sources[s])) TrackRecord(model, s);
  }

  std::set<std::string_view> seen;
  for (const Process& p : model.processes) {
    if (!p.host.empty() && seen.insert(p.host).second) model.hosts.emplace_back(p.host);
  }
}

}  // namespace ncclwhy

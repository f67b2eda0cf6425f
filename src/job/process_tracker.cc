// Sources in the order of names: the first source that tells something is kept.
#include "job/process_tracker.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "base/numbers.h"
#include "job/rank_in_file_name.h"
#include "job/rank_in_text.h"
#include "job/recorded_process.h"
#include "job/stack_dump.h"

namespace ncclwhy {
namespace {

// What tells two processes with the same host:pid apart: the ranks they hold in each communicator.
using Claims = std::map<std::string_view, std::set<int64_t>>;  // comm id -> ranks

struct Part {
  uint32_t source;
  uint32_t index;
};

// "disjoint" only where both hold the communicator: a log that begins late has fewer.
// One pid cannot be two ranks of one communicator in two sources: then it is two containers' pid 1.
bool Conflict(const Claims& a, const Claims& b) {
  for (const auto& [id, ranks] : a) {
    const auto it = b.find(id);
    if (it == b.end()) continue;
    const bool disjoint = std::none_of(ranks.begin(), ranks.end(), [&](int64_t r) { return it->second.contains(r); });
    if (disjoint) return true;
  }
  return false;
}

// Of a fact that has its text in the pool of its source.
Place PlaceOf(const JobModel& model, uint32_t source, const LineRef& ref) {
  return {SourceId{source}, ref.line, ref.offset, model.sources[source]->Str(ref.text)};
}

// What is known already stays: sources come in the order of their names.
void AddPart(JobModel& model, Process& p, const Part& part) {
  const SourceFacts& facts = *model.sources[part.source];
  const ProcessFacts& f = facts.processes[part.index];
  if (p.parts.empty()) p.first = PlaceOf(model, part.source, f.first);
  p.parts.emplace_back(SourceId{part.source}, part.index);
  if (p.host.empty()) p.host = model.NameOfHost(facts.Str(f.host));
  if (p.pid < 0) p.pid = f.pid;
  if (p.pod.empty()) p.pod = facts.Str(f.pod);
  if (p.launcher_rank < 0) p.launcher_rank = f.launcher_rank;
  if (p.launcher == LauncherLabel::kNone && f.launcher_rank >= 0) p.launcher = f.launcher;
  p.lines += f.lines;
  p.warns += f.warns;
  // Several entries of one source can be one process: its lines with a header and those without.
  // Within one source the later line counts; of several sources the last one in the order of names.
  if (p.last.source != SourceId{part.source} || p.last.line < f.last.line) {
    p.last = PlaceOf(model, part.source, f.last);
    p.last_torn = f.last_torn;
  }
  model.process_of[part.source][part.index] = p.id;
}

// The communicator that has the most ranks of those that a source tells of; empty where none is, or several are.
std::string_view LargestCommunicator(const SourceFacts& facts) {
  std::string_view world;
  int64_t most = 0;
  for (const Event& e : facts.events) {
    if (e.kind != EventKind::kCommInitStart && e.kind != EventKind::kCommInitComplete) continue;
    const std::string_view id = facts.Get(e, FieldId::kCommId);
    const int64_t ranks = ParseInt(facts.Get(e, FieldId::kNranks)).value_or(0);
    // A second one of the same size: neither is the world.
    if (ranks < most || id == world) continue;
    world = ranks > most ? id : std::string_view();
    most = ranks;
  }
  return world;
}

// The claims of all processes of a source in one pass.
std::vector<Claims> ClaimsOf(const SourceFacts& facts) {
  std::vector<Claims> claims(facts.processes.size());
  for (const Event& e : facts.events) {
    if (e.process == kNoProcess) continue;
    if (e.kind != EventKind::kCommInitStart && e.kind != EventKind::kCommInitComplete) continue;
    const std::string_view id = facts.Get(e, FieldId::kCommId);
    const auto rank = ParseInt(facts.Get(e, FieldId::kRank));
    if (!id.empty() && rank) claims[e.process][id].insert(*rank);
  }
  return claims;
}

class ProcessTracker {
 public:
  explicit ProcessTracker(JobModel& model) : model_(model) {}

  // In the order of sources, so that ids are deterministic.
  // A source without any line has processes all the same where its name says so.
  void Read(uint32_t s) {
    model_.process_of[s].assign(model_.sources[s]->processes.size(), ProcessId{});
    distinct_.clear();
    ambiguous_.clear();
    JoinHeaders(s);
    MapLaunchers(s);
    JoinStreams(s);
    AddSilentFile(s);
    if (distinct_.size() == 1) model_.only_process_of[s] = *distinct_.begin();
  }

 private:
  Process& New() {
    Process p;
    p.id = ProcessId{static_cast<uint32_t>(model_.processes.size())};
    model_.processes.push_back(std::move(p));
    return model_.processes.back();
  }

  // Lines with a header: one process for a host and pid, unless its ranks contradict that.
  void JoinHeaders(uint32_t s) {
    const SourceFacts& facts = *model_.sources[s];
    const std::vector<Claims> claims = ClaimsOf(facts);
    for (uint32_t i = 0; i < facts.processes.size(); ++i) {
      const ProcessFacts& f = facts.processes[i];
      if (f.pid < 0) continue;
      // Two containers may both have host `localhost` and pid 1.
      const std::pair name(model_.NameOfHost(facts.Str(f.host)), f.pid);
      auto& group = groups_[name];
      const auto fits = [&](ProcessId id) { return !Conflict(claims_of_[id], claims[i]); };
      const auto known = std::find_if(group.begin(), group.end(), fits);
      Process& p = known != group.end() ? model_.processes[known->value] : New();
      if (known == group.end()) group.push_back(p.id);
      for (const auto& [id, ranks] : claims[i]) claims_of_[p.id][id].insert(ranks.begin(), ranks.end());
      AddPart(model_, p, Part{s, i});
    }
  }

  // Launcher rank -> process, where it is unambiguous: under `srun -l` with torchrun one label covers many ranks.
  void MapLaunchers(uint32_t s) {
    const SourceFacts& facts = *model_.sources[s];
    for (uint32_t i = 0; i < facts.processes.size(); ++i) {
      const ProcessId id = model_.process_of[s][i];
      if (!id.valid()) continue;
      distinct_.insert(id);
      const int32_t r = facts.processes[i].launcher_rank;
      if (r < 0) continue;
      const auto [it, fresh] = model_.launcher_of[s].emplace(r, id);
      if (fresh || it->second == id) continue;
      // Both are remembered: what comes under the label is of one of them.
      ambiguous_.insert(r);
      model_.under_label[s][r].insert({it->second, id});
    }
    for (const int32_t r : ambiguous_) model_.launcher_of[s].erase(r);
  }

  // "[rank5]: Traceback …" among NCCL's lines of several processes, which have no prefix: whoever alone is that rank of
  // the largest communicator.
  void MapRanks(uint32_t s) {
    const std::string_view world = LargestCommunicator(*model_.sources[s]);
    std::map<int32_t, ProcessId> holders;
    // Only of the world: in smaller communicators ranks are numbered anew.
    for (const ProcessId id : distinct_) {
      const auto claims = claims_of_.find(id);
      if (world.empty() || claims == claims_of_.end()) continue;
      const auto ranks = claims->second.find(world);
      if (ranks == claims->second.end() || ranks->second.size() != 1) continue;
      const auto [it, fresh] = holders.emplace(static_cast<int32_t>(*ranks->second.begin()), id);
      if (!fresh) it->second = {};
    }
    for (const auto& [rank, id] : holders) {
      if (id.valid()) model_.launcher_of[s].emplace(rank, id);
    }
  }

  // Streams that never show a header: the launcher's rank joins them to a process, else they are one of their own.
  void JoinStreams(uint32_t s) {
    const SourceFacts& facts = *model_.sources[s];
    auto& launchers = model_.launcher_of[s];
    // More labelled lines than others: the log is a launcher's, and unlabelled lines are its own.
    uint64_t labelled = 0;
    for (const ProcessFacts& f : facts.processes) labelled += f.launcher != LauncherLabel::kNone ? f.lines : 0;
    const auto speaks = [](const ProcessFacts& f) { return f.pid < 0 && f.launcher_rank >= 0; };
    if (distinct_.size() > 1 && launchers.empty() && ambiguous_.empty() && labelled == 0 &&
        std::any_of(facts.processes.begin(), facts.processes.end(), speaks)) {
      MapRanks(s);
    }
    // Several ranks that PyTorch marks share a terminal: what stands there unmarked may be anybody's, the launcher's,
    // too.
    std::set<int32_t> marked;
    for (const ProcessFacts& f : facts.processes) {
      if (speaks(f)) marked.insert(f.launcher_rank);
    }
    for (uint32_t i = 0; i < facts.processes.size(); ++i) {
      const ProcessFacts& f = facts.processes[i];
      if (f.pid >= 0 || ambiguous_.contains(f.launcher_rank)) continue;
      // Lines without header or prefix between those of several processes, or of a launcher's tasks, are nobody's.
      const bool others = labelled > f.lines || !distinct_.empty() || marked.size() > 1;
      // Then they stay without a process, and the words in them may still say whose they are.
      if (f.launcher_rank < 0 && facts.Str(f.pod).empty() && others) continue;
      // "[rank1]: Traceback …" beside the lines of the only process, which have no prefix.
      if (f.launcher_rank >= 0 && distinct_.size() == 1 && launchers.empty() &&
          model_.processes[distinct_.begin()->value].launcher_rank < 0 && MayBeRank(facts, f.launcher_rank)) {
        model_.processes[distinct_.begin()->value].launcher_rank = f.launcher_rank;
        launchers.emplace(f.launcher_rank, *distinct_.begin());
      }
      if (const auto it = launchers.find(f.launcher_rank); it != launchers.end()) {
        Process& p = model_.processes[it->second.value];
        model_.process_of[s][i] = p.id;
        p.lines += f.lines;
        if (p.last.source == SourceId{s} && p.last.line < f.last.line) {
          p.last = PlaceOf(model_, s, f.last);
          p.last_torn = f.last_torn;
        }
        continue;
      }
      Process& p = New();
      AddPart(model_, p, Part{s, i});
      distinct_.insert(p.id);
      if (f.launcher_rank >= 0) launchers.emplace(f.launcher_rank, p.id);
    }
  }

  // Whether the only process of a source may be that rank: in none of the communicators that it joins it is another
  // one.
  static bool MayBeRank(const SourceFacts& facts, int32_t rank) {
    bool another = false;
    for (const Event& e : facts.events) {
      if (e.kind != EventKind::kCommInitStart && e.kind != EventKind::kCommInitComplete) continue;
      const auto said = ParseInt<int32_t>(facts.Get(e, FieldId::kRank));
      if (said && *said == rank) return true;
      another = another || said.has_value();
    }
    return !another;
  }

  // A file of one rank that died before its first NCCL line is a process all the same, even when the file is empty.
  void AddSilentFile(uint32_t s) {
    const SourceFacts& facts = *model_.sources[s];
    // One file alone may be anything.
    if (!distinct_.empty() || model_.sources.size() < 2 || RankInFileName(facts.name) < 0) return;
    Process& p = New();
    p.lines = facts.counters.Get(Counter::kLines);
    p.first = p.last = Place{SourceId{s}, 0, 0, {}};
    distinct_.insert(p.id);
  }

  JobModel& model_;
  std::map<std::pair<std::string_view, int64_t>, std::vector<ProcessId>> groups_;  // by host and pid
  std::map<ProcessId, Claims> claims_of_;
  // Of the source that is read.
  std::set<ProcessId> distinct_;
  std::set<int32_t> ambiguous_;  // launcher ranks that several processes have
};

// Whether lines of a file speak for another rank than its name: lab-r1.log is of a host, whose lines are of [Rank 3],
// and worker-2.log of one whose exceptions say `[RankID:21]`, or whose launcher's table tells of rank 19.
bool SpeaksForAnother(const SourceFacts& facts, int32_t number) {
  return std::any_of(facts.events.begin(), facts.events.end(), [&](const Event& e) {
    if (e.kind == EventKind::kPythonException) {
      const int32_t said = RankInText(facts.Get(e, FieldId::kMessage));
      return said >= 0 && said != number;
    }
    const bool tells =
        e.kind == EventKind::kTorchWatchdog || e.kind == EventKind::kTorchError || e.kind == EventKind::kTorchElastic;
    if (!tells) return false;
    const auto rank = ParseInt<int32_t>(facts.Get(e, FieldId::kRank));
    return rank && *rank != number;
  });
}

// Whether bare numbers count ranks: they are small, or lie close together.
//   sweep-61276.out and sweep-61277.out are of two jobs
bool CountRanks(const std::map<int32_t, std::vector<ProcessId>>& named) {
  constexpr int32_t kMostRanks = 10000;
  return named.empty() || named.rbegin()->first < kMostRanks ||
         named.rbegin()->first < 4 * static_cast<int32_t>(named.size());
}

// The last part of a name up to its extension, without its numbers: logs/worker-2.log and worker-11.log are of one
// kind.
std::string KindOfName(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  std::string kind(name.substr(0, name.rfind('.')));
  std::erase_if(kind, IsDigit);
  return kind;
}

// Names with a bare number, by kind.
std::map<std::string, size_t> KindsOfNames(const JobModel& model) {
  std::map<std::string, size_t> kinds;
  for (const SourceFacts* source : model.sources) {
    if (NumberInFileName(source->name).number >= 0) ++kinds[KindOfName(source->name)];
  }
  return kinds;
}

// A wrong rank is worse than none: any doubt ends it for all.
// Ranks that file names tell: only when each file holds one process and the numbers differ, and of a single file only
// if it says `rank`. Beside rank0.log and rank1.log, launch-node40.log is no rank's.
std::map<int32_t, ProcessId> RanksByFileName(const JobModel& model) {
  std::map<int32_t, std::vector<ProcessId>> named;
  NumberKind kind = kBare;
  // NCCL_DEBUG_FILE=nccl.%h.%p.log: nccl.node7.13993.log tells the pid.
  const auto is_pid = [&](ProcessId id, const NumberInName& in) { return model.processes[id.value].pid == in.number; };
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const ProcessId id = model.only_process_of[s];
    const NumberInName in = NumberInFileName(model.sources[s]->name);
    // The kind of number is the strongest that any file has.
    if (in.number >= 0 && id.valid() && !is_pid(id, in)) kind = std::min(kind, in.kind);
  }
  const std::map<std::string, size_t> kinds = kind == kBare ? KindsOfNames(model) : std::map<std::string, size_t>();
  const bool several = std::any_of(kinds.begin(), kinds.end(), [](const auto& k) { return k.second > 1; });
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const ProcessId id = model.only_process_of[s];
    const NumberInName in = NumberInFileName(model.sources[s]->name);
    if (!id.valid() || is_pid(id, in) || in.number < 0 || (kind == kRank && in.kind != kRank)) continue;
    // healthcheck_0620.txt beside vega1.out to vega4.out
    if (kind == kBare && several && kinds.at(KindOfName(model.sources[s]->name)) == 1) continue;
    if (in.kind != kRank && SpeaksForAnother(*model.sources[s], in.number)) return {};
    auto& list = named[in.number];
    if (std::find(list.begin(), list.end(), id) == list.end()) list.push_back(id);
  }
  if (kind == kBare && !CountRanks(named)) return {};
  std::map<int32_t, ProcessId> ranks;
  for (auto& [r, list] : named) {
    // stacks/rank0.txt beside rank0.log: the one that NCCL knows.
    const auto unknown = [&](ProcessId id) { return model.processes[id.value].pid < 0; };
    // Two files of one number, both known: which of them is it?
    if (!std::all_of(list.begin(), list.end(), unknown)) std::erase_if(list, unknown);
    if (list.size() != 1) return {};
    ranks.emplace(r, list.front());
  }
  return ranks.size() > 1 || kind == kRank ? ranks : std::map<int32_t, ProcessId>();
}

void NameRanks(JobModel& model) {
  const std::map<int32_t, ProcessId> by_file = RanksByFileName(model);
  std::map<int32_t, int> launchers;
  for (const Process& p : model.processes) {
    if (p.launcher_rank >= 0) ++launchers[p.launcher_rank];
  }
  // A label that two processes have is a node's.
  for (Process& p : model.processes) {
    if (p.launcher_rank >= 0 && launchers[p.launcher_rank] == 1) p.rank = p.launcher_rank;
  }
  for (const auto& [r, id] : by_file) {
    if (model.processes[id.value].rank < 0) model.processes[id.value].rank = r;
  }
}

}  // namespace

void TrackProcesses(JobModel& model) {
  const auto source_count = static_cast<uint32_t>(model.sources.size());
  model.process_of.resize(source_count);
  model.only_process_of.assign(source_count, ProcessId{});
  model.launcher_of.resize(source_count);
  model.under_label.resize(source_count);
  // Stack dumps and flight recorders know no host or pid of their own: they are joined last, to what is known by then.
  ProcessTracker tracker(model);
  const std::set<uint32_t> dumps = StackDumps(model);
  // A record's or dump's lines are nobody's output.
  for (uint32_t s = 0; s < source_count; ++s) {
    if (!IsRecord(*model.sources[s]) && !dumps.contains(s)) tracker.Read(s);
  }
  NameRanks(model);
  for (const uint32_t s : dumps) TrackStackDump(model, s);
  for (uint32_t s = 0; s < source_count; ++s) {
    if (IsRecord(*model.sources[s])) TrackRecord(model, s);
  }
  std::set<std::string_view> seen;
  for (const Process& p : model.processes) {
    if (!p.host.empty() && seen.insert(p.host).second) model.hosts.emplace_back(p.host);
  }
}

}  // namespace ncclwhy

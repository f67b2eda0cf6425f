#include "job/separate_jobs.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "job/job_names.h"
#include "job/job_runs.h"
#include "job/source_names.h"

namespace ncclwhy {
namespace {

class Separator : private JobRuns {
 public:
  Separator(const JobModel& model, const std::vector<std::vector<Mark>>& marks, bool attempts)
      : JobRuns(model, marks, attempts) {}

  std::vector<JobPart> Separate() {
    if (!Find()) return {};
    // Launchers and daemons that speak NCCL's header are rare: most strangers died early.
    PlaceStrangers();
    PlaceSources();
    if (runs_.size() < 2 || runs_.size() > limits::kJobsApart) return {};
    return Parts();
  }

 private:
  // Processes of no communicator: they died before it, or say little.
  void PlaceStrangers() {
    for (uint32_t s = 0; s < model_.sources.size(); ++s) {
      uint32_t latest = kNobody;  // a run of strangers that is being gathered
      for (const Process* p : StrangersIn(s)) {
        const Hull lines = LinesOf(*p, s);
        uint32_t home = HomeOf(s, lines, *p);
        // A job of which ranks are missing may have lost them here.
        if (home == kNobody && !RunsIn(s).empty()) home = OnlyOpen();
        if (home != kNobody) {
          AddProcess(runs_[home], *p);
        } else if (latest != kNobody && runs_[latest].hulls[s].last < lines.first &&
                   !Between(s, runs_[latest].hulls[s].last, lines.first)) {
          AddProcess(runs_[latest], *p);
        } else if (!RunsIn(s).empty() && !IsOfUcx(*p)) {
          latest = p->id.value;
          // A run of their own: several processes that died before their communicator.
          AddProcess(runs_[latest], *p);
        }
      }
    }
  }

  // The only run of which ranks are missing.
  uint32_t OnlyOpen() const {
    uint32_t open = kNobody;
    for (const auto& [id, run] : runs_) {
      if (run.complete()) continue;
      if (open != kNobody) return kNobody;
      open = id;
    }
    return open;
  }

  // Whether another run stands between two lines.
  bool Between(uint32_t source, uint32_t from, uint32_t to) const {
    // Strangers on both sides of a run are two tries.
    return std::any_of(runs_.begin(), runs_.end(), [&](const auto& run) {
      const auto it = run.second.hulls.find(source);
      return it != run.second.hulls.end() && it->second.first > from && it->second.last < to;
    });
  }

  // From its first to its last line in that source.
  Hull LinesOf(const Process& p, uint32_t source) const {
    Hull out;
    for (const auto& [s, index] : p.parts) {
      const ProcessFacts& facts = model_.sources[s.value]->processes[index];
      if (s.value == source) out.Add(facts.first.line, facts.last.line);
    }
    return out;
  }

  std::vector<const Process*> StrangersIn(uint32_t source) const {
    std::vector<std::pair<uint32_t, const Process*>> found;
    for (const ProcessId id : model_.process_of[source]) {
      if (!id.valid() || in_world_[id.value]) continue;
      const Process& p = model_.processes[id.value];
      if (p.pid >= 0) found.emplace_back(LinesOf(p, source).first, &p);
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : a.second->id < b.second->id;
    });
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::vector<const Process*> out;
    for (const auto& [line, p] : found) out.push_back(p);
    return out;
  }

  // A process that a label alone tells: no line of NCCL is its own.
  static bool IsLabelled(const Process& p) { return p.host.empty() && p.gpu < 0 && p.nccl_version.empty(); }

  // A process that MPI's layer alone tells, as of a warm-up in front of the job, makes no job of its own.
  //   [1652750680.418832] [node07:53260:0]  parser.c:1906 UCX  WARN  unused env variable: UCX_IB_ENABLE_CUDA_AFFINITY
  static bool IsOfUcx(const Process& p) {
    return !p.host.empty() && p.gpu < 0 && p.nccl_version.empty() && p.rank < 0 && p.launcher_rank < 0;
  }

  // The run of a process that is in no communicator, by where its lines stand; nobody when it can be of none of them.
  uint32_t HomeOf(uint32_t source, const Hull& lines, const Process& p) {
    uint32_t before = kNobody, behind = kNobody;
    for (const uint32_t id : RunsIn(source)) {
      const Hull& hull = runs_[id].hulls[source];
      // Its lines stand among those of a run.
      if (hull.first <= lines.last && lines.first <= hull.last) return id;
      if (hull.last < lines.first) before = id;
      if (hull.first > lines.last && behind == kNobody) behind = id;
    }
    const auto may = [&](uint32_t id, uint32_t from, uint32_t to) {
      if (id == kNobody) return false;
      const Run& run = runs_[id];
      // A run that misses ranks takes in whoever stands beside it.
      if (!run.complete()) return true;
      // (VllmWorkerProcess pid=7157) in front of a run's first header says no host.
      const bool there = run.hosts.contains(p.host) || (p.host.empty() && (id == behind || IsLabelled(p)));
      // (TaskRunner pid=2101), which NCCL does not know, drives those that it does: its alarms are the job's.
      if (id == before && IsLabelled(p)) return there && !Marked(source, from, lines.first, {Life::kEnding});
      return there && !Marked(source, from, to, {Life::kEnding, Life::kNone});
    };
    const bool of_next = may(behind, lines.first, behind == kNobody ? 0 : runs_[behind].hulls[source].first);
    const bool of_last = may(before, before == kNobody ? 0 : runs_[before].hulls[source].last, lines.last);
    // Both could be: the host decides, else the run that begins behind it, as who dies early stands in front.
    if (of_next && of_last)
      return runs_[before].hosts.contains(p.host) && !runs_[behind].hosts.contains(p.host) ? before : behind;
    return of_next ? behind : of_last ? before : kNobody;
  }

  // Sources without a process of any communicator.
  void PlaceSources() {
    const FolderView folders = FoldersOf(model_);
    std::vector<uint32_t> rest;
    for (uint32_t s = 0; s < model_.sources.size(); ++s) {
      if (RunsIn(s).empty()) rest.push_back(s);
    }
    // Folders are jobs only where they say so, or look like it.
    const bool apart = folders.side_by_side && FoldersAreJobs(folders);
    const bool closed = !runs_.empty() &&
                        std::all_of(runs_.begin(), runs_.end(), [](const auto& run) { return run.second.complete(); });
    std::map<std::string, uint32_t> own;  // folder -> the run of what stands there and is of no other
    for (const uint32_t s : rest) {
      const uint32_t home = HomeOfSource(s, folders, apart);
      if (home != kNobody) {
        runs_[home].sources.insert(s);
        continue;
      }
      const bool stranger = closed && !StrangersIn(s).empty() && !marks_[s].empty() && !IsHostsOwn(s);
      const bool lives = !marks_[s].empty() || !model_.sources[s]->pulses.empty();
      // In doubt a source is part of all jobs: its lines are read with each.
      if (!apart && (attempts_ || (!stranger && !(lives && runs_.size() > 1)))) continue;  // of all
      const auto [it, fresh] = own.try_emplace(folders.of[s], kSourceRuns + s);
      Run& run = runs_[it->second];
      run.sources.insert(s);
      for (const Process* p : StrangersIn(s)) run.hosts.insert(p->host);
    }
  }

  // messages.gpu-a17 beside the output of a job that was there: who speaks in it are the daemons of that host.
  bool IsHostsOwn(uint32_t s) const {
    return std::any_of(runs_.begin(), runs_.end(), [&](const auto& run) {
      return std::any_of(run.second.hosts.begin(), run.second.hosts.end(),
                         [&](std::string_view host) { return NameHolds(model_.sources[s]->name, host); });
    });
  }

  // Of a source without a process of any communicator: by its folder, its name, its hosts.
  uint32_t HomeOfSource(uint32_t s, const FolderView& folders, bool apart) const {
    if (runs_.size() < 2 && !apart) return kNobody;
    // Found by folder, by the job id in the name, by a host in the name or among its processes, as what misses ranks.
    std::set<uint32_t> here, named, on, open;
    const std::string_view id_here = JobIdInName(model_.sources[s]->name);
    for (const auto& [id, run] : runs_) {
      bool beside = false;
      for (const auto& [source, hull] : run.hulls) beside = beside || folders.of[source] == folders.of[s];
      if (beside) here.insert(id);
      if (apart && !beside) continue;
      for (const auto& [source, hull] : run.hulls) {
        if (!id_here.empty() && JobIdInName(model_.sources[source]->name) == id_here) named.insert(id);
      }
      const auto speaks = [&](std::string_view host) { return NameHolds(model_.sources[s]->name, host); };
      if (std::any_of(run.hosts.begin(), run.hosts.end(), speaks)) on.insert(id);
      if (run.complete()) continue;
      open.insert(id);  // a job that is not complete without it
      for (const Process* p : StrangersIn(s)) {
        if (run.hosts.contains(p->host)) on.insert(id);
      }
    }
    // The folder has no run: it is a job by itself, or nothing.
    if (apart && here.empty()) return kNobody;
    for (const auto* found : {&here, &named, &on}) {
      if (found->size() == 1 && (found != &here || folders.side_by_side)) return *found->begin();
    }
    const uint32_t alike = NamedAlike(s);
    if (alike != kNobody && (!apart || here.contains(alike))) return alike;
    return open.size() == 1 ? *open.begin() : kNobody;
  }

  // The run whose files have names that begin like this one, when there is one such run: alpha-job.log,
  // alpha-dmesg.txt.
  uint32_t NamedAlike(uint32_t s) const {
    uint32_t best = kNobody;
    size_t most = 1;
    for (const auto& [id, run] : runs_) {
      size_t longest = 0;
      for (const auto& [source, hull] : run.hulls) {
        longest = std::max(longest, CommonBeginning(model_.sources[s]->name, model_.sources[source]->name));
      }
      // Two runs with names that are equally near.
      if (longest == most) best = kNobody;
      if (longest <= most) continue;
      most = longest;
      best = id;
    }
    return best;
  }

  // Folders side by side are jobs when each has a life of its own and nobody speaks in two of them.
  bool FoldersAreJobs(const FolderView& folders) const {
    std::map<std::string_view, bool> alive;
    for (uint32_t s = 0; s < model_.sources.size(); ++s) {
      // A folder of configuration files has no life.
      bool& lives = alive[folders.of[s]];
      lives = lives || !RunsIn(s).empty() || !marks_[s].empty() || !model_.sources[s]->pulses.empty() ||
              model_.sources[s]->counters.Get(Counter::kNccl) > 0;
    }
    for (const auto& [folder, lives] : alive) {
      if (!lives) return false;
    }
    std::map<uint32_t, std::string_view> folder_of;
    for (const Process& p : model_.processes) {
      for (const auto& [source, index] : p.parts) {
        const std::string_view folder = folders.of[source.value];
        // Folders of hosts hold one job's logs: run1/node0/, run1/node1/.
        if (!p.host.empty() && NameHolds(folder, p.host)) return false;  // the folder of a host
        const uint32_t group = groups_.Find(p.id.value);
        if (!folder_of.emplace(group, folder).second && folder_of[group] != folder) return false;
      }
    }
    return true;
  }

  std::vector<JobPart> Parts() {
    std::map<uint32_t, JobPart> parts;
    for (uint32_t s = 0; s < model_.sources.size(); ++s) {
      const std::vector<uint32_t> order = RunsIn(s);
      if (order.empty()) {
        bool owned = false;
        for (const auto& [id, run] : runs_) {
          if (!run.sources.contains(s)) continue;
          parts[id].spans.push_back({SourceId{s}});
          owned = true;
        }
        // What is nobody's is everybody's.
        for (const auto& [id, run] : runs_) {
          if (!owned) parts[id].spans.push_back({SourceId{s}});
        }
        continue;
      }
      uint32_t first = 1;
      for (size_t i = 0; i < order.size(); ++i) {
        Span span{SourceId{s}, first, UINT32_MAX};
        // Where a run ends and the next one begins.
        if (i + 1 < order.size()) span.last = BorderOf(s, order[i], order[i + 1]) - 1;
        first = span.last + 1;
        parts[order[i]].spans.push_back(span);
      }
    }
    std::vector<JobPart> out;
    for (auto& [id, part] : parts) out.push_back(std::move(part));
    const auto begins = [](const JobPart& p) { return std::pair(p.spans.front().source, p.spans.front().first); };
    std::stable_sort(out.begin(), out.end(), [&](const JobPart& a, const JobPart& b) { return begins(a) < begins(b); });
    NameJobs(model_, &out);
    return out;
  }

  // The first line of the second run. What stands between the last line of NCCL in one and the first in the other:
  // words at the ending of the one, then of the launch of the other.
  uint32_t BorderOf(uint32_t source, uint32_t a, uint32_t b) const {
    const uint32_t from = runs_.at(a).hulls.at(source).last + 1;
    const uint32_t to = runs_.at(b).hulls.at(source).first;
    uint32_t border = 0;
    // Words of an ending belong to the run before; at the first launch the next one begins.
    for (const Mark& m : marks_[source]) {
      if (m.line < from || m.line >= to) continue;
      if (m.life == Life::kLaunch) return m.line;
      border = m.line + 1;
    }
    return border == 0 ? to : border;
  }
};

}  // namespace

std::vector<JobPart> SeparateJobs(const JobModel& model, const std::vector<std::vector<Mark>>& marks, Apart apart) {
  return Separator(model, marks, apart == Apart::kAttempts).Separate();
}

}  // namespace ncclwhy

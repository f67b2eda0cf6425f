#include "job/separate_jobs.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "job/job_groups.h"
#include "job/source_names.h"

namespace ncclwhy {
namespace {

constexpr uint32_t kNobody = UINT32_MAX;
// Beyond that they are not compared with each other.
constexpr uint64_t kWorks = 3;  // beats
constexpr size_t kMostRuns = 4 * limits::kJobsApart;

// From the first to the last line with a header.
struct Hull {
  uint32_t first = UINT32_MAX;
  uint32_t last = 0;
  void Add(uint32_t from, uint32_t to) {
    first = std::min(first, from);
    last = std::max(last, to);
  }
};

// Processes that are one job as far as is known, or sources without any.
struct Run {
  std::map<uint32_t, Hull> hulls;              // by source
  std::map<int32_t, std::string_view> placed;  // rank in the largest communicator -> host
  std::set<std::string_view> hosts;
  std::string_view version;
  int64_t nranks = -1;
  bool over = true;             // each of its processes has left
  std::set<uint32_t> sources;   // that are wholly its own
  bool complete() const { return nranks > 0 && static_cast<int64_t>(placed.size()) >= nranks; }
};

class Separator {
 public:
  Separator(const JobModel& model, const std::vector<std::vector<Mark>>& marks)
      : model_(model), marks_(marks), groups_(GroupByCommunicator(model)), in_world_(model.processes.size()) {
    for (const Communicator& c : model.communicators) {
      for (const Rank& r : c.ranks) {
        if (r.process.valid()) in_world_[r.process.value] = true;
      }
    }
  }

  std::vector<JobPart> Separate() {
    if (model_.sources.size() < 2 && OneWorld() && Followers(0).empty()) return {};
    do {
      FindRuns();
      if (runs_.size() > kMostRuns) return {};
    } while (JoinRuns());
    FindFollowers();
    PlaceStrangers();
    PlaceSources();
    if (runs_.size() < 2 || runs_.size() > limits::kJobsApart) return {};
    return Parts();
  }

 private:
  // The ordinary job: everybody who speaks is in one communicator.
  bool OneWorld() {
    uint32_t world = kNobody;
    for (const Process& p : model_.processes) {
      if (p.pid < 0) continue;
      const uint32_t group = groups_.Find(p.id.value);
      if (!in_world_[p.id.value] || (world != kNobody && group != world)) return false;
      world = group;
    }
    return true;
  }

  void FindRuns() {
    runs_.clear();
    for (const Process& p : model_.processes) {
      if (in_world_[p.id.value]) AddProcess(runs_[groups_.Find(p.id.value)], p);
    }
    for (const Communicator& c : model_.communicators) {
      for (const Rank& r : c.ranks) {
        if (!r.process.valid()) continue;
        Run& run = runs_[groups_.Find(r.process.value)];
        if (c.nranks > run.nranks) {
          run.nranks = c.nranks;
          run.placed.clear();
        }
        if (c.nranks == run.nranks) run.placed.emplace(r.rank, r.host);
      }
    }
  }

  void AddProcess(Run& run, const Process& p) {
    for (const auto& [source, index] : p.parts) {
      const ProcessFacts& facts = model_.sources[source.value]->processes[index];
      if (facts.first.line > 0) run.hulls[source.value].Add(facts.first.line, facts.last.line);
    }
    if (!p.host.empty()) run.hosts.insert(p.host);
    if (run.version.empty()) run.version = p.nccl_version;
    run.over = run.over && (p.destroyed || p.aborted);
  }

  // Whether two that were taken for different runs were found to be one.
  bool JoinRuns() {
    const auto join = [&](uint32_t a, uint32_t b) {
      groups_.Join(a, b);
      return true;
    };
    for (uint32_t s = 0; s < model_.sources.size(); ++s) {
      const std::vector<uint32_t> order = RunsIn(s);
      for (size_t i = 1; i < order.size(); ++i) {
        const Run& a = runs_[order[i - 1]];
        const Run& b = runs_[order[i]];
        if (!OneBehindTheOther(s, a, b)) return join(order[i - 1], order[i]);
      }
    }
    for (auto a = runs_.begin(); a != runs_.end(); ++a) {
      for (auto b = std::next(a); b != runs_.end(); ++b) {
        if (PartsOfOne(a->second, b->second) || AgainTheSame(a->second, b->second)) return join(a->first, b->first);
      }
    }
    return false;
  }

  // By where they begin.
  std::vector<uint32_t> RunsIn(uint32_t source) const {
    std::vector<std::pair<uint32_t, uint32_t>> order;
    for (const auto& [id, run] : runs_) {
      if (const auto it = run.hulls.find(source); it != run.hulls.end()) order.emplace_back(it->second.first, id);
    }
    std::sort(order.begin(), order.end());
    std::vector<uint32_t> out;
    for (const auto& [line, id] : order) out.push_back(id);
    return out;
  }

  bool Marked(uint32_t source, uint32_t from, uint32_t to, std::initializer_list<Life> lives) const {
    return std::any_of(marks_[source].begin(), marks_[source].end(), [&](const Mark& m) {
      return m.line >= from && m.line <= to && std::find(lives.begin(), lives.end(), m.life) != lives.end();
    });
  }

  // Two communicators of one job may also come one behind the other: parts of a service on other devices. The first is
  // over when its processes left or ended, or when others have its seats.
  bool OneBehindTheOther(uint32_t source, const Run& a, const Run& b) const {
    const Hull& first = a.hulls.at(source);
    const Hull& then = b.hulls.at(source);
    if (then.first <= first.last || Marked(source, first.first, then.first, {Life::kRestart})) return false;
    if (a.over || a.nranks != b.nranks || a.version != b.version) return true;
    const bool seat = std::any_of(a.hosts.begin(), a.hosts.end(), [&](std::string_view h) { return b.hosts.contains(h); });
    return seat || Marked(source, first.first, then.first, {Life::kEnding, Life::kNone});
  }

  // Without a commId the parts of one communicator can look like several: they have its size and other ranks.
  static bool PartsOfOne(const Run& a, const Run& b) {
    return a.nranks == b.nranks && std::none_of(a.placed.begin(), a.placed.end(),
                                                [&](const auto& rank) { return b.placed.contains(rank.first); });
  }

  // The same ranks begin again on the same hosts, in the files of each rank, or in such of the same names but for pids.
  bool AgainTheSame(const Run& a, const Run& b) const {
    if (a.nranks != b.nranks || a.placed != b.placed) return false;
    const auto shared = std::count_if(a.hulls.begin(), a.hulls.end(),
                                      [&](const auto& hull) { return b.hulls.contains(hull.first); });
    if (shared > 1) return true;
    const auto names = [&](const Run& run) {
      std::set<std::string> out;
      for (const auto& [source, hull] : run.hulls) out.insert(NamePattern(model_.sources[source]->name));
      return out;
    };
    return shared == 0 && a.hulls.size() > 1 && b.hulls.size() > 1 && names(a) == names(b);
  }

  // The first lines of what follows on the ending of a job in a source: a launcher or scheduler told the end, nobody who
  // worked before goes on, and others begin from the start.
  std::vector<uint32_t> Followers(uint32_t source) const {
    std::vector<uint32_t> out;
    uint32_t over = 0;
    for (const Mark& m : marks_[source]) {
      if (m.life == Life::kEnding && m.of_job) {
        if (over != 0 && Begins(source, over, m.line)) out.push_back(over);
        over = NextWork(source, out.empty() ? 1 : out.back()) > m.line ? 0 : m.line + 1;
      } else if (over != 0 && m.life == Life::kEnding && NextWork(source, over) > m.line) {
        over = m.line + 1;  // more words at the same ending
      } else if (over != 0 && m.life == Life::kRestart && NextWork(source, over) > m.line) {
        over = 0;
      }
    }
    if (over != 0 && Begins(source, over, UINT32_MAX)) out.push_back(over);
    return out;
  }

  // Whether work begins at `line`, from the start, and goes on before `end`.
  bool Begins(uint32_t source, uint32_t line, uint32_t end) const {
    if (NextWork(source, line) >= end) return false;
    const SourceFacts& facts = *model_.sources[source];
    for (const ProcessFacts& p : facts.processes) {
      if (p.pid >= 0 && p.first.line < line && p.last.line >= line) return false;
    }
    bool works = false;
    for (const PulseFacts& p : facts.pulses) {
      const uint64_t behind = p.beats.After(line - 1);
      works = works || behind >= kWorks;
      const auto anew = [&](const PulsePeak& peak) {
        return peak.line < line && p.beats.After(peak.line) <= behind + p.beats.every;
      };
      if (p.beats.first < line && behind > 0 && std::none_of(p.peaks.begin(), p.peaks.end(), anew)) return false;
    }
    return works || std::any_of(facts.processes.begin(), facts.processes.end(),
                                [&](const ProcessFacts& p) { return p.pid >= 0 && p.first.line >= line; });
  }

  // The first line of work, or of a process, from `line` on.
  uint32_t NextWork(uint32_t source, uint32_t line) const {
    uint32_t next = UINT32_MAX;
    for (const PulseFacts& p : model_.sources[source]->pulses) {
      const auto it = std::lower_bound(p.beats.lines.begin(), p.beats.lines.end(), line);
      if (it != p.beats.lines.end()) next = std::min(next, *it);
      if (p.beats.last >= line) next = std::min(next, p.beats.last);
    }
    for (const ProcessFacts& p : model_.sources[source]->processes) {
      if (p.pid >= 0 && p.first.line >= line) next = std::min(next, p.first.line);
    }
    return next;
  }

  // Where NCCL says little: runs that only their endings tell apart.
  void FindFollowers() {
    for (uint32_t s = 0; s < model_.sources.size(); ++s) {
      std::vector<uint32_t> borders = Followers(s);
      if (borders.empty()) continue;
      borders.insert(borders.begin(), 1);
      for (size_t i = 0; i < borders.size(); ++i) {
        const uint32_t first = borders[i];
        const uint32_t last = i + 1 < borders.size() ? borders[i + 1] - 1
                                                     : static_cast<uint32_t>(model_.sources[s]->counters.Get(Counter::kLines));
        const bool known = std::any_of(runs_.begin(), runs_.end(), [&](const auto& run) {
          const auto it = run.second.hulls.find(s);
          return it != run.second.hulls.end() && it->second.first <= last && it->second.last >= first;
        });
        if (known || last < first) continue;
        Run& run = runs_[kFollowers + followers_++];
        run.hulls[s].Add(first, last);
      }
    }
  }

  // Processes of no communicator: they died before it, or say little.
  void PlaceStrangers() {
    for (uint32_t s = 0; s < model_.sources.size(); ++s) {
      uint32_t latest = kNobody;  // a run of strangers that is being gathered
      for (const Process* p : StrangersIn(s)) {
        const Hull lines = LinesOf(*p, s);
        const uint32_t home = HomeOf(s, lines, *p);
        if (home != kNobody) {
          AddProcess(runs_[home], *p);
        } else if (latest != kNobody && runs_[latest].hulls[s].last < lines.first &&
                   !Between(s, runs_[latest].hulls[s].last, lines.first)) {
          AddProcess(runs_[latest], *p);
        } else if (!RunsIn(s).empty()) {
          latest = p->id.value;
          AddProcess(runs_[latest], *p);
        }
      }
    }
  }

  // Whether another run stands between two lines.
  bool Between(uint32_t source, uint32_t from, uint32_t to) const {
    return std::any_of(runs_.begin(), runs_.end(), [&](const auto& run) {
      const auto it = run.second.hulls.find(source);
      return it != run.second.hulls.end() && it->second.first > from && it->second.last < to;
    });
  }

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

  // The run of a process that is in no communicator, by where its lines stand; nobody when it can be of none of them.
  uint32_t HomeOf(uint32_t source, const Hull& lines, const Process& p) {
    uint32_t before = kNobody, behind = kNobody;
    for (const uint32_t id : RunsIn(source)) {
      const Hull& hull = runs_[id].hulls[source];
      if (hull.first <= lines.last && lines.first <= hull.last) return id;
      if (hull.last < lines.first) before = id;
      if (hull.first > lines.last && behind == kNobody) behind = id;
    }
    const auto may = [&](uint32_t id, uint32_t from, uint32_t to) {
      if (id == kNobody) return false;
      const Run& run = runs_[id];
      if (!run.complete()) return true;
      return !Marked(source, from, to, {Life::kEnding, Life::kNone}) && run.hosts.contains(p.host);
    };
    const bool of_next = may(behind, lines.first, behind == kNobody ? 0 : runs_[behind].hulls[source].first);
    const bool of_last = may(before, before == kNobody ? 0 : runs_[before].hulls[source].last, lines.last);
    if (of_next && of_last) return runs_[before].hosts.contains(p.host) && !runs_[behind].hosts.contains(p.host) ? before : behind;
    return of_next ? behind : of_last ? before : kNobody;
  }

  // Sources without a process of any communicator.
  void PlaceSources() {
    const FolderView folders = FoldersOf(model_);
    std::vector<uint32_t> rest;
    for (uint32_t s = 0; s < model_.sources.size(); ++s) {
      if (RunsIn(s).empty()) rest.push_back(s);
    }
    const bool apart = folders.side_by_side && FoldersAreJobs(folders);
    const bool closed = !runs_.empty() && std::all_of(runs_.begin(), runs_.end(), [](const auto& run) { return run.second.complete(); });
    std::map<std::string, uint32_t> own;  // folder -> the run of what stands there and is of no other
    for (const uint32_t s : rest) {
      const uint32_t home = HomeOfSource(s, folders, apart);
      if (home != kNobody) {
        runs_[home].sources.insert(s);
        continue;
      }
      const bool stranger = closed && !StrangersIn(s).empty() && !marks_[s].empty();
      const bool lives = !marks_[s].empty() || !model_.sources[s]->pulses.empty();
      if (!stranger && !(lives && (apart || runs_.size() > 1))) continue;  // of all
      const auto [it, fresh] = own.try_emplace(folders.of[s], kSourceRuns + s);
      Run& run = runs_[it->second];
      run.sources.insert(s);
      for (const Process* p : StrangersIn(s)) run.hosts.insert(p->host);
    }
  }

  // Of a source without a process of any communicator: by its folder, its name, its hosts.
  uint32_t HomeOfSource(uint32_t s, const FolderView& folders, bool apart) const {
    if (runs_.size() < 2 && !apart) return kNobody;
    std::set<uint32_t> here, named, on;
    const std::string_view id_here = JobIdInName(model_.sources[s]->name);
    for (const auto& [id, run] : runs_) {
      for (const auto& [source, hull] : run.hulls) {
        if (folders.of[source] == folders.of[s]) here.insert(id);
        if (!id_here.empty() && JobIdInName(model_.sources[source]->name) == id_here) named.insert(id);
      }
      const auto speaks = [&](std::string_view host) { return NameHolds(model_.sources[s]->name, host); };
      if (std::any_of(run.hosts.begin(), run.hosts.end(), speaks)) on.insert(id);
      for (const Process* p : StrangersIn(s)) {
        if (run.hosts.contains(p->host) && !run.complete()) on.insert(id);
      }
    }
    for (const auto* found : {&here, &named, &on}) {
      if (found->size() == 1 && (found != &here || folders.side_by_side)) return *found->begin();
    }
    if (const uint32_t alike = NamedAlike(s); alike != kNobody) return alike;
    std::set<uint32_t> open;  // of a job that is not complete without it
    for (const auto& [id, run] : runs_) {
      if (!run.complete()) open.insert(id);
    }
    return open.size() == 1 ? *open.begin() : kNobody;
  }

  // The run whose files have names that begin like this one, when there is one such run: alpha-job.log, alpha-dmesg.txt.
  uint32_t NamedAlike(uint32_t s) const {
    uint32_t best = kNobody;
    size_t most = 1;
    for (const auto& [id, run] : runs_) {
      size_t longest = 0;
      for (const auto& [source, hull] : run.hulls) {
        longest = std::max(longest, CommonBeginning(model_.sources[s]->name, model_.sources[source]->name));
      }
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
    std::map<std::string_view, std::set<std::string_view>> hosts;
    for (uint32_t s = 0; s < model_.sources.size(); ++s) {
      bool& lives = alive[folders.of[s]];
      lives = lives || !RunsIn(s).empty() || !marks_[s].empty() || !model_.sources[s]->pulses.empty() ||
              !StrangersIn(s).empty();
    }
    for (const auto& [folder, lives] : alive) {
      if (!lives) return false;
    }
    std::map<uint32_t, std::string_view> folder_of;
    for (const Process& p : model_.processes) {
      for (const auto& [source, index] : p.parts) {
        const std::string_view folder = folders.of[source.value];
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
        for (const auto& [id, run] : runs_) {
          if (!owned) parts[id].spans.push_back({SourceId{s}});
        }
        continue;
      }
      uint32_t first = 1;
      for (size_t i = 0; i < order.size(); ++i) {
        Span span{SourceId{s}, first, UINT32_MAX};
        if (i + 1 < order.size()) span.last = BorderOf(s, order[i], order[i + 1]) - 1;
        first = span.last + 1;
        parts[order[i]].spans.push_back(span);
      }
    }
    std::vector<JobPart> out;
    for (auto& [id, part] : parts) out.push_back(std::move(part));
    const auto begins = [](const JobPart& p) { return std::pair(p.spans.front().source, p.spans.front().first); };
    std::stable_sort(out.begin(), out.end(), [&](const JobPart& a, const JobPart& b) { return begins(a) < begins(b); });
    Name(&out);
    return out;
  }

  // By its folder or job id when no other has it, by its file, by the lines of its file.
  void Name(std::vector<JobPart>* parts) const {
    const FolderView folders = FoldersOf(model_);
    std::map<uint32_t, size_t> users;               // source -> jobs
    std::map<std::string, std::set<size_t>> owners;  // folder -> jobs
    for (size_t n = 0; n < parts->size(); ++n) {
      for (const Span& span : (*parts)[n].spans) ++users[span.source.value];
    }
    for (size_t n = 0; n < parts->size(); ++n) {
      for (const Span& span : (*parts)[n].spans) {
        if (users[span.source.value] == 1) owners[folders.of[span.source.value]].insert(n);
      }
    }
    std::map<std::string, int> taken;
    for (size_t n = 0; n < parts->size(); ++n) {
      JobPart& part = (*parts)[n];
      const auto own = [&](const Span& span) { return !span.whole() || users[span.source.value] == 1; };
      const auto it = std::find_if(part.spans.begin(), part.spans.end(), own);
      const Span& span = it == part.spans.end() ? part.spans.front() : *it;
      const std::string& folder = folders.of[span.source.value];
      const std::string& name = model_.sources[span.source.value]->name;
      const auto end = folder.find_last_of('#') == std::string::npos ? folder.size() - !folder.empty() : folder.size();
      if (span.whole() && owners[folder].size() == 1 && owners.size() > 1 && !folder.empty()) {
        part.name = BaseName(std::string_view(folder).substr(0, end));
        if (const size_t id = part.name.find('#'); id != std::string::npos) part.name.erase(0, id + 1);
      } else if (span.whole()) {
        part.name = BaseName(name);
      } else {
        const uint64_t lines = model_.sources[span.source.value]->counters.Get(Counter::kLines);
        part.name = std::string(BaseName(name)) + ":" + std::to_string(span.first) + "-" +
                    std::to_string(std::min<uint64_t>(span.last, lines));
      }
      if (const int before = taken[part.name]++; before > 0) part.name += " (" + std::to_string(before + 1) + ")";
    }
  }

  // The first line of the second run. What stands between the last line of NCCL in one and the first in the other:
  // words at the ending of the one, then of the launch of the other.
  uint32_t BorderOf(uint32_t source, uint32_t a, uint32_t b) const {
    const uint32_t from = runs_.at(a).hulls.at(source).last + 1;
    const uint32_t to = runs_.at(b).hulls.at(source).first;
    uint32_t border = 0;
    for (const Mark& m : marks_[source]) {
      if (m.line < from || m.line >= to) continue;
      if (m.life == Life::kLaunch) return m.line;
      border = m.line + 1;
    }
    return border == 0 ? to : border;
  }

  static constexpr uint32_t kSourceRuns = 1u << 31;  // ids of runs that are no process
  static constexpr uint32_t kFollowers = 3u << 30;

  const JobModel& model_;
  const std::vector<std::vector<Mark>>& marks_;
  mutable ProcessGroups groups_;   // finding shortens paths
  std::vector<bool> in_world_;     // by process
  std::map<uint32_t, Run> runs_;   // by the group of its processes
  uint32_t followers_ = 0;
};

}  // namespace

std::vector<JobPart> SeparateJobs(const JobModel& model, const std::vector<std::vector<Mark>>& marks) {
  return Separator(model, marks).Separate();
}

}  // namespace ncclwhy

#include "job/job_runs.h"

#include <string>
#include <utility>

#include "base/limits.h"
#include "job/source_names.h"

namespace ncclwhy {
namespace {

// Beyond that they are not compared with each other.
constexpr size_t kMostRuns = 4 * limits::kJobsApart;

// Without a commId the parts of one communicator can look like several: they have its size and other ranks.
bool PartsOfOne(const Run& a, const Run& b) {
  // Without a common rank: two whole communicators of one size would have all of them twice.
  return a.nranks == b.nranks && std::none_of(a.placed.begin(), a.placed.end(),
                                              [&](const auto& rank) { return b.placed.contains(rank.first); });
}

}  // namespace

JobRuns::JobRuns(const JobModel& model, const std::vector<std::vector<Mark>>& marks, bool attempts)
    : model_(model),
      marks_(marks),
      attempts_(attempts),
      groups_(GroupByCommunicator(model)),
      in_world_(model.processes.size()) {
  for (const Communicator& c : model.communicators) {
    for (const Rank& r : c.ranks) {
      if (r.process.valid()) in_world_[r.process.value] = true;
    }
  }
}

bool JobRuns::Find() {
  if (model_.sources.empty()) return false;
  for (size_t s = 0; s < model_.sources.size(); ++s) {
    borders_.push_back(FollowingRuns(*model_.sources[s], marks_[s], attempts_));
    uint32_t suite = 0;
    for (const Mark& m : marks_[s]) suite = m.suite && !m.bad() ? m.line : suite;
    // What tests start is the suite's.
    std::erase_if(borders_.back(), [suite](uint32_t line) { return line <= suite; });
    suite_.push_back(suite);
  }
  // The ordinary case costs one look at the processes.
  if (model_.sources.size() == 1 && OneWorld() && borders_[0].empty()) return false;
  FindRuns();
  // Each joining may place ranks anew, which may join others.
  do {
    PlaceRanks();
    if (runs_.size() > kMostRuns) return false;
  } while (JoinRuns());
  FindFollowers();
  return true;
}

// The ordinary job: everybody who speaks is in one communicator.
bool JobRuns::OneWorld() const {
  uint32_t world = kNobody;
  for (const Process& p : model_.processes) {
    if (p.pid < 0) continue;
    const uint32_t group = groups_.Find(p.id.value);
    if (!in_world_[p.id.value] || (world != kNobody && group != world)) return false;
    world = group;
  }
  return true;
}

void JobRuns::FindRuns() {
  for (const Process& p : model_.processes) {
    if (in_world_[p.id.value]) AddProcess(runs_[groups_.Find(p.id.value)], p);
  }
}

void JobRuns::PlaceRanks() {
  for (auto& [id, run] : runs_) {
    run.nranks = -1;
    run.placed.clear();
  }
  for (const Communicator& c : model_.communicators) {
    for (const Rank& r : c.ranks) {
      if (!r.process.valid()) continue;
      Run& run = runs_[groups_.Find(r.process.value)];
      if (c.nranks > run.nranks) {
        run.nranks = c.nranks;
        run.placed.clear();
      }
      // Of the largest communicator of the run, who is where.
      if (c.nranks == run.nranks) run.placed.emplace(r.rank, r.host);
    }
  }
}

void JobRuns::AddProcess(Run& run, const Process& p) const {
  for (const auto& [source, index] : p.parts) {
    const ProcessFacts& facts = model_.sources[source.value]->processes[index];
    const Hull own = OwnLines(p, source.value, facts);
    if (own.last > 0) run.hulls[source.value].Add(own.first, own.last);
  }
  if (!p.host.empty()) run.hosts.insert(p.host);
  if (run.version.empty()) {
    run.version = p.nccl_version;
    run.speaks = p.id.value;
  }
  run.over = run.over && (p.destroyed || p.aborted);
  run.aborted = run.aborted || p.aborted;
}

// Lines of the same stream, `1: rank 1 starts`, are a process's as nobody else speaks NCCL there; but not those of a
// run before or behind its own.
Hull JobRuns::OwnLines(const Process& p, uint32_t source, const ProcessFacts& part) const {
  Hull own;
  own.Add(part.first.line, part.last.line);
  // Only lines that came by the stream may be another run's.
  const std::vector<uint32_t>& borders = borders_[source];
  if (!part.by_stream || borders.empty()) return own;
  uint32_t speaks = kNobody;  // its first line with a header
  for (const auto& [s, index] : p.parts) {
    const ProcessFacts& facts = model_.sources[s.value]->processes[index];
    if (s.value == source && !facts.by_stream) speaks = std::min(speaks, facts.first.line);
  }
  const auto behind = std::upper_bound(borders.begin(), borders.end(), speaks);
  if (behind != borders.begin()) own.first = std::max(own.first, *std::prev(behind));
  if (behind != borders.end()) own.last = std::min(own.last, *behind - 1);
  return own.first <= own.last ? own : Hull();
}

// Whether two that were taken for different runs were found to be one.
bool JobRuns::JoinRuns() {
  for (uint32_t s = 0; s < model_.sources.size(); ++s) {
    const std::vector<uint32_t> order = RunsIn(s);
    for (size_t i = 1; i < order.size(); ++i) {
      const Run& a = runs_[order[i - 1]];
      const Run& b = runs_[order[i]];
      if (OneBehindTheOther(s, a, b)) continue;
      Join(order[i - 1], order[i]);
      return true;
    }
  }
  // Parts of one, or the same ranks again: pairs of all runs, which kMostRuns bounds.
  for (auto a = runs_.begin(); a != runs_.end(); ++a) {
    for (auto b = std::next(a); b != runs_.end(); ++b) {
      if (!PartsOfOne(a->second, b->second) && (attempts_ || !AgainTheSame(a->second, b->second))) continue;
      Join(a->first, b->first);
      return true;
    }
  }
  return false;
}

// The run with the smaller id has all of both then, but for where its ranks are.
void JobRuns::Join(uint32_t a, uint32_t b) {
  groups_.Join(a, b);
  Run& run = runs_[std::min(a, b)];
  auto other = runs_.extract(std::max(a, b));
  Run& from = other.mapped();
  run.hulls.merge(from.hulls);
  for (const auto& [source, hull] : from.hulls) run.hulls[source].Add(hull.first, hull.last);
  run.hosts.merge(from.hosts);
  if (!from.version.empty() && (run.version.empty() || from.speaks < run.speaks)) {
    run.version = from.version;
    run.speaks = from.speaks;
  }
  run.over = run.over && from.over;
  run.aborted = run.aborted || from.aborted;
}

std::vector<uint32_t> JobRuns::RunsIn(uint32_t source) const {
  std::vector<std::pair<uint32_t, uint32_t>> order;
  for (const auto& [id, run] : runs_) {
    if (const auto it = run.hulls.find(source); it != run.hulls.end()) order.emplace_back(it->second.first, id);
  }
  std::sort(order.begin(), order.end());
  std::vector<uint32_t> out;
  for (const auto& [line, id] : order) out.push_back(id);
  return out;
}

bool JobRuns::Marked(uint32_t source, uint32_t from, uint32_t to, std::initializer_list<Life> lives) const {
  return std::any_of(marks_[source].begin(), marks_[source].end(), [&](const Mark& m) {
    return m.line >= from && m.line <= to && std::find(lives.begin(), lives.end(), m.life) != lives.end();
  });
}

// Two communicators of one job may also come one behind the other: parts of a service on other devices. The first is
// over when its processes left or ended, or when others have its seats.
bool JobRuns::OneBehindTheOther(uint32_t source, const Run& a, const Run& b) const {
  const Hull& first = a.hulls.at(source);
  const Hull& then = b.hulls.at(source);
  if (then.first <= first.last || then.last <= suite_[source]) return false;
  // A restart between them: one job, and two attempts.
  if (Marked(source, first.first, then.first, {Life::kRestart})) return attempts_;
  // Others in size or version, or one that left: another run.
  if (a.over || a.aborted || a.nranks != b.nranks || a.version != b.version) return true;
  const bool seat =
      std::any_of(a.hosts.begin(), a.hosts.end(), [&](std::string_view h) { return b.hosts.contains(h); });
  // Nobody left, but an alarm or an ending stands between them.
  return seat || Marked(source, first.first, then.first, {Life::kEnding, Life::kNone});
}

// The same ranks begin again on the same hosts, in the files of each rank, or in such of the same names but for pids.
bool JobRuns::AgainTheSame(const Run& a, const Run& b) const {
  if (a.nranks != b.nranks || a.placed != b.placed) return false;
  const auto shared =
      std::count_if(a.hulls.begin(), a.hulls.end(), [&](const auto& hull) { return b.hulls.contains(hull.first); });
  // One shared file may be the launcher's; two are those of ranks.
  if (shared > 1) return true;
  const auto names = [&](const Run& run) {
    std::set<std::string> out;
    for (const auto& [source, hull] : run.hulls) out.insert(NamePattern(model_.sources[source]->name));
    return out;
  };
  return shared == 0 && a.hulls.size() > 1 && b.hulls.size() > 1 && names(a) == names(b);
}

// Where NCCL says little: runs that only their endings tell apart.
void JobRuns::FindFollowers() {
  uint32_t followers = 0;
  for (uint32_t s = 0; s < model_.sources.size(); ++s) {
    if (borders_[s].empty()) continue;
    std::vector<uint32_t> borders = borders_[s];
    borders.insert(borders.begin(), 1);
    for (size_t i = 0; i < borders.size(); ++i) {
      const uint32_t first = borders[i];
      const uint32_t last = i + 1 < borders.size()
                                ? borders[i + 1] - 1
                                : static_cast<uint32_t>(model_.sources[s]->counters.Get(Counter::kLines));
      if (last < first) continue;
      bool known = false;
      Hull* earliest = nullptr;  // of those that begin here: what its launcher said before NCCL spoke is of it
      for (auto& [id, run] : runs_) {
        const auto it = run.hulls.find(s);
        if (it == run.hulls.end() || it->second.first > last || it->second.last < first) continue;
        known = true;
        if (earliest == nullptr || it->second.first < earliest->first) earliest = &it->second;
      }
      if (known) {
        if (earliest->first > first) earliest->first = first;
        continue;
      }
      Run& run = runs_[kFollowers + followers++];
      run.hulls[s].Add(first, last);
    }
  }
}

}  // namespace ncclwhy

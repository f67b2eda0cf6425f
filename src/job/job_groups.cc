#include "job/job_groups.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

#include "base/limits.h"

namespace ncclwhy {
namespace {

// Releases before 2.18 print no commId, and communicators of one size are then one to us. A rank that stands twice
// gives it away.
bool SeveralInOne(const Communicator& c) {
  return c.comm_id.empty() && std::adjacent_find(c.ranks.begin(), c.ranks.end(), [](const Rank& a, const Rank& b) {
                                return a.rank == b.rank && a.process.valid() && b.process.valid() &&
                                       a.process != b.process;
                              }) != c.ranks.end();
}

// A group as its largest communicator shows it.
struct Shape {
  uint32_t group = 0;
  int64_t nranks = -1;
  std::set<int32_t> ranks;
};

std::vector<Shape> ShapesOf(const JobModel& model, ProcessGroups& groups) {
  std::vector<Shape> shapes;
  std::vector<uint32_t> shape_of(model.processes.size(), kNobody);
  for (const Communicator& c : model.communicators) {
    std::map<uint32_t, std::set<int32_t>> parts;  // group -> its ranks here; one part, but for SeveralInOne
    for (const Rank& r : c.ranks) {
      // Of one communicator the largest is the world; others are parts of it.
      if (r.process.valid()) parts[groups.Find(r.process.value)].insert(r.rank);
    }
    for (auto& [group, ranks] : parts) {
      if (shape_of[group] == kNobody) {
        shape_of[group] = static_cast<uint32_t>(shapes.size());
        shapes.push_back({group, -1, {}});
      }
      Shape& shape = shapes[shape_of[group]];
      // The largest shape counts: a group is compared by its world.
      if (c.nranks <= shape.nranks) continue;
      shape.nranks = c.nranks;
      shape.ranks = std::move(ranks);
    }
  }
  return shapes;
}

// Without a commId the parts of one communicator can look like several: they have its size and other ranks.
bool Complement(const Shape& a, const Shape& b) {
  return a.nranks == b.nranks &&
         std::none_of(a.ranks.begin(), a.ranks.end(), [&](int32_t r) { return b.ranks.contains(r); });
}

// A process whose log is cut off in front of its communicators belongs to the only job on its host.
void JoinByHost(JobModel& model) {
  // Two jobs on one host: whoever tells nothing is of neither.
  constexpr int32_t kSeveral = -2;
  std::map<std::string_view, int32_t> job_of;
  for (const Process& p : model.processes) {
    if (p.job < 0 || p.host.empty()) continue;
    const auto [it, fresh] = job_of.try_emplace(p.host, p.job);
    if (!fresh && it->second != p.job) it->second = kSeveral;
  }
  for (Process& p : model.processes) {
    const auto it = p.job < 0 ? job_of.find(p.host) : job_of.end();
    if (it != job_of.end() && it->second != kSeveral) p.job = it->second;
  }
}

// The members of one communicator that is several: in each source a rank that comes again begins another.
void JoinGenerations(const JobModel& model, const Communicator& c, ProcessGroups& groups) {
  using Member = std::tuple<uint32_t, uint32_t, int32_t, uint32_t>;  // source, line, rank, process
  std::vector<Member> members;
  for (const Rank& r : c.ranks) {
    if (!r.process.valid()) continue;
    const Place& first = model.processes[r.process.value].first;
    members.emplace_back(first.source.value, first.line, r.rank, r.process.value);
  }
  std::sort(members.begin(), members.end());
  uint32_t in = kNobody, begins = kNobody;
  std::set<int32_t> ranks;
  for (const auto& [source, line, rank, process] : members) {
    if (source != in || !ranks.insert(rank).second) {
      in = source;
      begins = process;
      ranks = {rank};
    }
    groups.Join(begins, process);
  }
}

}  // namespace

ProcessGroups::ProcessGroups(size_t processes) : parent_(processes) { std::iota(parent_.begin(), parent_.end(), 0U); }

uint32_t ProcessGroups::Find(uint32_t process) {
  // Halving the path as it goes.
  while (parent_[process] != process) process = parent_[process] = parent_[parent_[process]];
  return process;
}

void ProcessGroups::Join(uint32_t a, uint32_t b) {
  a = Find(a);
  b = Find(b);
  // The smaller number stays, so that ids do not depend on the order of joining.
  parent_[std::max(a, b)] = std::min(a, b);
}

// Linear in the ranks of all communicators, but for finding, which is nearly constant.
ProcessGroups GroupByCommunicator(const JobModel& model) {
  ProcessGroups groups(model.processes.size());
  for (const Communicator& c : model.communicators) {
    if (SeveralInOne(c)) {
      JoinGenerations(model, c, groups);
      continue;
    }
    uint32_t first = kNobody;
    for (const Rank& r : c.ranks) {
      if (!r.process.valid()) continue;
      if (first == kNobody) first = r.process.value;
      groups.Join(first, r.process.value);
    }
  }
  return groups;
}

void GroupJobs(JobModel& model) {
  ProcessGroups groups = GroupByCommunicator(model);
  std::vector<uint32_t> first_of(model.sources.size(), kNobody);
  for (const Process& p : model.processes) {
    for (const auto& [source, index] : p.parts) {
      if (!source.valid() || source.value >= first_of.size()) continue;
      if (first_of[source.value] == kNobody) first_of[source.value] = p.id.value;
      groups.Join(first_of[source.value], p.id.value);
    }
    // Processes of one source are one group: a file of several jobs is cut before, by separate_jobs.
  }
  std::vector<Shape> jobs;
  for (Shape& shape : ShapesOf(model, groups)) {
    const auto same = std::find_if(jobs.begin(), jobs.end(), [&](const Shape& job) { return Complement(job, shape); });
    if (same == jobs.end()) {
      jobs.push_back(std::move(shape));
    } else {
      groups.Join(same->group, shape.group);
      same->ranks.merge(shape.ranks);
    }
    // Too many to be jobs: then nobody is told apart.
    if (jobs.size() > limits::kJobsApart) return;
  }
  if (jobs.size() < 2) return;
  std::vector<uint32_t> number_of(model.processes.size(), kNobody);
  for (uint32_t n = 0; n < jobs.size(); ++n) number_of[groups.Find(jobs[n].group)] = n;
  for (Process& p : model.processes) {
    const uint32_t n = number_of[groups.Find(p.id.value)];
    p.job = n == kNobody ? -1 : static_cast<int32_t>(n);
  }
  JoinByHost(model);
}

}  // namespace ncclwhy

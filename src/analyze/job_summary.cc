#include "analyze/job_summary.h"

#include <algorithm>
#include <set>

#include "analyze/call_table.h"
#include "base/limits.h"
#include "job/roll_call.h"

namespace ncclwhy {
namespace {

// Fewer words than a rank has: of a whole communicator no reader asks more than whether it was made, worked, and how it
// ended. An abort counts before everything else.
std::string StageWord(const Communicator& c) {
  if (c.aborted) return "aborted";
  if (c.destroyed && c.stage == Stage::kDestroyed) return "destroyed";
  if (c.stage >= Stage::kRunning) return "running";
  return c.stage >= Stage::kReady ? "connected" : "init";
}

// Culprits have ranks of the largest communicator only: in another one the same number is somebody else.
ReportRank RankRow(const JobModel& model, const Rank& r, const std::vector<Culprit>& culprits, bool largest) {
  ReportRank row;
  row.rank = r.rank;
  row.host = std::string(r.host);
  row.gpu = r.cuda_dev;
  row.stage = std::string(StageName(r.stage()));
  row.seen = r.seen;
  row.collectives = r.collectives;
  if (r.process.valid()) row.pid = model.processes[r.process.value].pid;
  if (r.last.source.valid()) row.file = model.sources[r.last.source.value]->name;
  row.last_line = r.last.line;
  row.last_text = std::string(r.last.text);
  row.culprit = largest && r.rank >= 0 &&
                std::any_of(culprits.begin(), culprits.end(), [&](const Culprit& c) { return c.rank == r.rank; });
  return row;
}

}  // namespace

Job SummariseJob(const JobModel& model, const std::vector<Culprit>& culprits) {
  Job job;
  std::set<std::string_view> versions;
  for (const Process& p : model.processes) {
    if (!p.nccl_version.empty()) versions.insert(p.nccl_version);
  }
  for (const std::string_view v : versions) job.nccl_versions.emplace_back(v);
  // Whom a table of the program names and no line of NCCL's: #  Rank  0 Group  0 Pid  32310 on    gpu-a15 device  0
  const RollCall roll(model);
  const auto short_name = [](std::string_view host) { return host.substr(0, host.find('.')); };
  std::set<std::string_view> known;
  for (const std::string_view host : model.hosts) known.insert(short_name(host));
  job.hosts = static_cast<int64_t>(model.hosts.size());
  for (const std::string_view told : roll.Hosts()) job.hosts += known.insert(short_name(told)).second ? 1 : 0;
  std::set<int32_t> ranks;  // of processes that NCCL's headers name
  for (const Process& p : model.processes) {
    if (p.pid >= 0 && p.rank >= 0) ranks.insert(p.rank);
  }
  // rank3.log beside nccl.node7.4711.log, which says that it is rank 3: two files of one process.
  job.processes = std::count_if(model.processes.begin(), model.processes.end(),
                                [&](const Process& p) { return p.known() && (p.pid >= 0 || !ranks.contains(p.rank)); });
  job.processes = std::max(job.processes, roll.Processes());
  std::vector<const Communicator*> order;
  for (const Communicator& c : model.communicators) order.push_back(&c);
  std::stable_sort(order.begin(), order.end(), [](const Communicator* a, const Communicator* b) {
    return std::make_pair(-a->nranks, -a->ranks_seen) < std::make_pair(-b->nranks, -b->ranks_seen);
  });
  int64_t number = 0;
  size_t room = limits::kReportRanks;
  for (const Communicator* c : order) {
    if (job.communicators.size() >= limits::kReportCommunicators) {
      ++job.unlisted_communicators;
      ++job.unlisted;
      continue;
    }
    ReportCommunicator out;
    out.id = ++number;
    out.comm_id = std::string(c->comm_id);
    out.nranks = c->nranks;
    out.ranks_seen = c->ranks_seen;
    out.stage = StageWord(*c);
    out.calls_differ = CallTableOf(*c);
    for (const Rank& r : c->ranks) {
      ReportRank row = RankRow(model, r, culprits, c->id == model.largest);
      // Whoever is blamed is listed in any case.
      if (room == 0 && !row.culprit) {
        ++job.unlisted;
        continue;
      }
      if (room > 0) --room;
      out.ranks.push_back(std::move(row));
    }
    // Beyond limits::kMissingRanks those without a log are not even in the model.
    const auto listed = static_cast<int64_t>(c->ranks.size());
    if (c->nranks > listed) job.unlisted += c->nranks - listed;
    job.communicators.push_back(std::move(out));
  }
  for (const Edge& e : model.edges) {
    if (job.transports.size() < limits::kReportTransports || job.transports.count(e.transport) != 0) {
      ++job.transports[e.transport];
    } else {
      ++job.unlisted;
    }
    if (e.comm != model.largest) continue;
    if (job.edges.size() >= limits::kReportEdges) {
      ++job.unlisted;
      continue;
    }
    job.edges.push_back({e.from, e.to, e.transport, e.channels});
  }
  std::stable_sort(job.edges.begin(), job.edges.end(), [](const TransportEdge& a, const TransportEdge& b) {
    return std::tie(a.from, a.to, a.transport) < std::tie(b.from, b.to, b.transport);
  });
  return job;
}

Coverage SummariseCoverage(const JobModel& model) {
  Counters sum = model.dropped;
  Coverage c;
  for (const SourceFacts* f : model.sources) {
    sum.Merge(f->counters);
    c.bytes += f->bytes;
  }
  c.lines = sum.Get(Counter::kLines);
  c.nccl = sum.Get(Counter::kNccl);
  c.recognised = sum.Get(Counter::kRecognised);
  c.unrecognised = sum.Get(Counter::kUnrecognised);
  c.foreign = sum.Get(Counter::kForeign);
  c.damaged = sum.Get(Counter::kDamaged);
  c.sources = model.sources.size();
  // What stands behind the classes of lines are limits that were met, repairs and the like: told where there are any.
  for (size_t n = static_cast<size_t>(Counter::kDamaged) + 1; n < static_cast<size_t>(Counter::kCount_); ++n) {
    const auto counter = static_cast<Counter>(n);
    if (sum.Get(counter) > 0) c.notes[std::string(InfoOf(counter).name)] = sum.Get(counter);
  }
  return c;
}

}  // namespace ncclwhy

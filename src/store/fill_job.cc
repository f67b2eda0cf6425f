// The tables that a job model fills, each with its function: a new one is a function and a row here.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "analyze/host_hardware.h"
#include "analyze/rank_traits.h"
#include "job/collective_compare.h"
#include "job/host_clocks.h"
#include "job/job_complaints.h"
#include "job/thread_stack.h"
#include "store/fill.h"
#include "store/row_writer.h"

namespace ncclwhy {
namespace {

// 0 without a stream, or where the window has lost the line of the call.
// Where a hang is looked for first: the call that this rank did not come back from.
uint32_t LastCallLine(const Rank& r) {
  if (r.stream == nullptr || r.stream->calls == 0) return 0;
  const CollectiveCall* last = CallAt(*r.stream, r.stream->calls - 1);
  return last == nullptr ? 0 : last->line;
}

// A JSON list, for json_each.
std::string MinorityJson(const Divergence& divergence) {
  std::string out;
  for (const int32_t rank : divergence.minority) out += (out.empty() ? "[" : ",") + std::to_string(rank);
  return out.empty() ? "[]" : out + "]";
}

// The first beat of the numbers that run up to the latest one; 0 without. Where only some beats are kept it is a later
// one.
// A program that was restarted in the same file counts from the beginning again:
//    step 41200 loss 2.13 … step 41300 loss 2.12 … (restart) step 41200 loss 2.13
// `peaks` are the places where the number fell back; behind the last of them the latest run begins.
uint32_t BeganAnew(const PulseFacts& pulse) {
  if (pulse.peaks.empty()) return pulse.beats.first;
  const std::vector<uint32_t>& lines = pulse.beats.lines;
  const auto next = std::upper_bound(lines.begin(), lines.end(), pulse.peaks.back().line);
  return next == lines.end() ? pulse.beats.last : *next;
}

// One row for each source, by SourceId.
Status FillSources(Database& database, const JobModel& model) {
  RowWriter rows(database, "_source");
  for (size_t i = 0; i < model.sources.size(); ++i) {
    const SourceFacts& facts = *model.sources[i];
    if (Status status = rows.Add("id", i, "name", facts.name, "bytes", facts.bytes); !status.ok()) return status;
  }
  return Status::Ok();
}

// Names with `?` are NULL where the value is unknown (row_writer.h); a process without an NCCL header has hardly more
// than its lines.
Status FillProcesses(Database& database, const JobModel& model) {
  RowWriter rows(database, "_process");
  for (const Process& p : model.processes) {
    Status status =
        rows.Add("id", p.id, "host?", p.host, "pod?", p.pod, "pid?", p.pid, "launcher_rank?", p.launcher_rank, "rank?",
                 p.rank, "gpu?", p.gpu, "bus_id?", p.bus_id, "nccl_version?", p.nccl_version, "cuda_version?",
                 p.cuda_version, "driver_version?", p.driver_version, "bootstrap_interface?", p.bootstrap.interface,
                 "bootstrap_address?", p.bootstrap.address, "network?", p.net.network, "net_interface?",
                 p.net.interface, "net_address?", p.net.address, "net_devices?", p.net.devices, "lines", p.lines,
                 "warns", p.warns, "first_source", SourceOf(p.first), "first_line?", p.first.line, "last_source",
                 SourceOf(p.last), "last_line?", p.last.line, "last_text?", p.last.text, "last_torn", p.last_torn,
                 "aborted", p.aborted, "destroyed", p.destroyed, "log_just_ends", p.log_just_ends, "job?", p.job);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

// What only a divergence has is NULL where there is none.
Status FillCommunicators(Database& database, const JobModel& model) {
  RowWriter rows(database, "_communicator");
  for (const Communicator& c : model.communicators) {
    const Divergence& d = c.divergence;
    Status status =
        rows.Add("id", c.id, "comm_id?", c.comm_id, "nranks?", c.nranks, "nnodes?", c.nnodes, "ranks_seen",
                 c.ranks_seen, "stage", StageName(c.stage), "parent", c.parent, "aborted", c.aborted, "destroyed",
                 c.destroyed, "divergence_kind?", d.found ? d.kind : std::string(), "divergence_index?",
                 d.found ? static_cast<int64_t>(d.index) : -1, "expected?", d.expected, "found_instead?",
                 d.found_instead, "minority?", d.found ? MinorityJson(d) : std::string(), "tied", d.tied);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

// `divergence.lines` has the ranks that made the call, in order, so one pass over both finds each rank's line.
Status FillRanks(Database& database, const JobModel& model) {
  RowWriter rows(database, "_rank");
  for (const Communicator& c : model.communicators) {
    auto call = c.divergence.lines.begin();  // in the order of the ranks, of those that made it
    for (const Rank& r : c.ranks) {
      const bool made_it = call != c.divergence.lines.end() && call->first == r.rank;
      const uint32_t divergence_line = made_it ? call++->second : 0;
      // Older versions print no Init START, so Init COMPLETE stands in.
      const Place& init = r.init_start.line != 0 ? r.init_start : r.init_complete;
      Status status =
          rows.Add("communicator", c.id, "rank", r.rank, "process", r.process, "comm?", r.comm, "host?", r.host, "seen",
                   r.seen, "nranks?", r.nranks, "stage", StageName(r.stage()), "stage_order",
                   static_cast<int>(r.stage()), "aborted", r.aborted, "destroyed", r.destroyed, "cuda_dev?", r.cuda_dev,
                   "nvml_dev?", r.nvml_dev, "bus_id?", r.bus_id, "local_rank?", r.local_rank, "collectives?",
                   r.collectives, "p2p_calls?", r.p2p_calls, "bootstrap_seconds?", r.bootstrap_seconds, "init_source",
                   SourceOf(init), "init_start_line?", r.init_start.line, "init_complete_line?", r.init_complete.line,
                   "last_source", SourceOf(r.last), "last_line?", r.last.line, "last_text?", r.last.text,
                   "divergence_line?", divergence_line, "completed?", r.completed, "last_call_line?", LastCallLine(r));
      if (!status.ok()) return status;
    }
  }
  return Status::Ok();
}

// Those that FindStacks reads out of dumps, not every event.
Status FillStacks(Database& database, const JobModel& model) {
  RowWriter rows(database, "_stack");
  for (const ThreadStack& stack : FindStacks(model)) {
    Status status = rows.Add("source", SourceOf(stack.place), "line?", stack.place.line, "text?", stack.place.text,
                             "process", stack.process, "owner", stack.owner, "rank?", stack.rank, "host?", stack.host,
                             "pid?", stack.pid, "thread?", stack.thread, "function?", stack.function, "frames",
                             stack.frames, "program?", stack.program);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

// The hosts of both ends are looked up once, so that a query needs no join for them.
Status FillConnections(Database& database, const JobModel& model) {
  const RankHosts hosts = HostsOfRanks(model);
  const auto host_of = [&](const Edge& e, int32_t rank) {
    const auto it = hosts.find({e.comm, rank});
    return it == hosts.end() ? std::string_view() : it->second;
  };
  RowWriter rows(database, "_connection");
  for (const Edge& e : model.edges) {
    // A line that names both ends (`0[0] -> 1[1] via P2P/IPC`) is of no direction; an empty text is NULL.
    const std::string_view direction = e.direction == 's' ? "send" : e.direction == 'r' ? "receive" : "";
    Status status = rows.Add("communicator", e.comm, "from_rank?", e.from, "to_rank?", e.to, "transport?", e.transport,
                             "device?", e.device, "gdr", e.gdr, "channels", e.channels, "source", SourceOf(e.place),
                             "line?", e.place.line, "process", e.process, "direction?", direction, "from_host?",
                             host_of(e, e.from), "to_host?", host_of(e, e.to), "text?", e.place.text);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

// One row for each trait that a process is known to have.
Status FillTraits(Database& database, const JobModel& model) {
  RowWriter rows(database, "_trait");
  for (const RankTraits& traits : ReadRankTraits(model)) {
    for (const auto& [trait, value] : traits.values) {
      Status status = rows.Add("process", traits.process, "trait", TraitName(trait), "value", value.text, "source",
                               SourceOf(value.place), "line?", value.place.line);
      if (!status.ok()) return status;
    }
  }
  return Status::Ok();
}

// Pulses: `lines first_line … last_line` of `source` in which the number called `name` grew.
Status FillProgress(Database& database, const JobModel& model) {
  RowWriter rows(database, "_progress");
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& facts = *model.sources[s];
    for (const PulseFacts& p : facts.pulses) {
      const ProcessId process = p.process == kNoProcess ? ProcessId{} : model.process_of[s][p.process];
      Status status = rows.Add("process", process, "name?", facts.Str(p.name), "source", s, "first_line", p.beats.first,
                               "anew_line", BeganAnew(p), "last_line", p.beats.last, "beats", p.beats.count,
                               "first_value", p.first_value, "last_value", p.last_value, "total?", p.total,
                               "first_time?", facts.Str(p.first_time), "last_time?", facts.Str(p.last_time));
      if (!status.ok()) return status;
    }
  }
  return Status::Ok();
}

// Each sentence once, in the order of the job (job_complaints.h).
Status FillComplaints(Database& database, const JobModel& model) {
  RowWriter rows(database, "_complaint");
  for (const Complaint& c : ComplaintsOf(model)) {
    Status status = rows.Add("source", c.source, "line", c.line, "process", c.process, "text", c.text);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

// What a host could do, for queries that compare it with the paths that NCCL took.
Status FillHardware(Database& database, const JobModel& model) {
  RowWriter rows(database, "_hardware");
  for (const HardwareFact& fact : FindHardware(model)) {
    Status status = rows.Add("host?", fact.host, "kind", fact.kind, "value", fact.value, "source", SourceOf(fact.place),
                             "line?", fact.place.line, "text?", fact.place.text);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

// Hosts whose stamps contradict what both have seen have no row: nothing is known of their clocks.
Status FillClocks(Database& database, const JobModel& model) {
  RowWriter rows(database, "_clock");
  const HostClocks clocks = AlignClocks(model);
  for (const HostClock& clock : clocks.measured) {
    Status status = rows.Add("host", clock.host, "reference", clock.reference, "ahead", clock.ahead, "error",
                             clock.error, "communicators", clock.communicators);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

// Of each process, not of the job: what ranks differ in is the question.
Status FillEnvironment(Database& database, const JobModel& model) {
  RowWriter rows(database, "_environment");
  for (const Process& p : model.processes) {
    for (const auto& [variable, value] : p.environment) {
      Status status = rows.Add("process", p.id, "variable", variable, "value", value.first, "source",
                               SourceOf(value.second), "line?", value.second.line);
      if (!status.ok()) return status;
    }
  }
  return Status::Ok();
}

// Counters that are zero have no row.
Status FillCoverage(Database& database, const JobModel& model) {
  RowWriter rows(database, "_coverage");
  for (size_t i = 0; i < model.sources.size(); ++i) {
    for (size_t k = 0; k < static_cast<size_t>(Counter::kCount_); ++k) {
      const auto counter = static_cast<Counter>(k);
      const uint64_t value = model.sources[i]->counters.Get(counter);
      if (value == 0) continue;
      const CounterInfo& info = InfoOf(counter);
      Status status =
          rows.Add("source", i, "counter", info.name, "value", value, "loss", info.loss, "meaning", info.sentence);
      if (!status.ok()) return status;
    }
  }
  return Status::Ok();
}

// In the order of schema.sql. Indexes are made when a table is full: rows go in faster without.
constexpr std::array<TableFiller, 15> kFillers = {{
    {"_source", FillSources, nullptr},
    {"_process", FillProcesses, nullptr},
    {"_communicator", FillCommunicators, nullptr},
    {"_rank", FillRanks,
     "CREATE INDEX IF NOT EXISTS _rank_of_communicator ON _rank(communicator, rank);"
     "CREATE INDEX IF NOT EXISTS _rank_of_process ON _rank(process);"},
    {"_event", FillEvents,
     "CREATE INDEX IF NOT EXISTS _event_of_process ON _event(process, kind);"
     "CREATE INDEX IF NOT EXISTS _event_of_kind ON _event(kind);"},
    {"_stack", FillStacks, nullptr},
    {"_connection", FillConnections, nullptr},
    {"_trait", FillTraits, nullptr},
    {"_progress", FillProgress, nullptr},
    {"_complaint", FillComplaints, nullptr},
    {"_hardware", FillHardware, nullptr},
    {"_clock", FillClocks, nullptr},
    {"_environment", FillEnvironment,
     "CREATE INDEX IF NOT EXISTS _environment_of_variable ON _environment(variable, process);"},
    {"_collective", FillCollectives,
     "CREATE INDEX IF NOT EXISTS _collective_of_rank ON _collective(communicator, rank, seq);"},
    {"_coverage", FillCoverage, nullptr},
}};

}  // namespace

std::span<const TableFiller> TableFillers() { return kFillers; }

Status FillTable(Database& database, const TableFiller& filler, const JobModel& model) {
  Status status = filler.fill(database, model);
  if (status.ok() && filler.indexes != nullptr) status = database.Execute(filler.indexes, "it was indexed");
  return status;
}

}  // namespace ncclwhy

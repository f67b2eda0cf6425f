// JobModel: the job as reconstructed from the facts of all sources. Built once, after every source was read; the
// result does not depend on the order in which sources were read (they are sorted by name first).
//
// Borrowed views point into the SourceFacts, which must outlive the model.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "job/stage.h"
#include "parser/facts.h"

namespace ncclwhy {

// One line somewhere in the input.
struct Place {
  SourceId source;
  uint32_t line = 0;  // 0 = none
  uint64_t offset = 0;
  std::string_view text;
};

// What one process used for one purpose, e.g. its bootstrap interface.
struct NetworkUse {
  std::string_view interface;
  std::string_view address;
  std::string_view network;  // IB, Socket, AWS Libfabric, …
  std::string_view devices;  // the list that NET/IB : Using printed
};

// One process in one life. Its lines may stand in several sources; views are of the facts of those.
struct Process {
  ProcessId id;
  std::string_view host;  // may be empty
  std::string_view pod;
  int64_t pid = -1;
  int32_t launcher_rank = -1;
  LauncherLabel launcher = LauncherLabel::kNone;
  int32_t rank = -1;  // in the job's largest communicator; from NCCL lines first, else launcher, else file name
  int32_t job = -1;   // when the logs hold several jobs: which one, from 0; -1: only one job, or not known
  int32_t gpu = -1;   // CUDA ordinal
  std::string_view bus_id;
  std::string_view nccl_version;  // without +cuda
  std::string_view cuda_version;
  std::string_view driver_version;  // as printed, e.g. 13000
  NetworkUse bootstrap;
  NetworkUse net;
  std::map<std::string_view, std::pair<std::string_view, Place>> environment;  // variable -> value as echoed
  uint64_t lines = 0;
  uint64_t warns = 0;
  Place first;
  Place last;
  bool last_torn = false;
  bool aborted = false;                              // Abort START/COMPLETE
  bool destroyed = false;                            // Destroy COMPLETE
  bool recorded_only = false;                        // known from records (a flight recorder), not from lines
  bool log_just_ends = false;                        // no teardown, exception or exit line behind its last NCCL line
  std::vector<std::pair<SourceId, uint32_t>> parts;  // (source, index into its processes)
  // A file without any header or rank (a service's output, a JSON file beside the logs) is nobody we could name.
  bool known() const { return pid >= 0 || rank >= 0 || launcher_rank >= 0 || !pod.empty(); }
};

// One rank within one communicator. Of a rank that left no log only rank, nranks and what others know of it are set.
struct Rank {
  int32_t rank = -1;
  ProcessId process;      // invalid when this rank left no log
  std::string_view comm;  // pointer in that process
  int32_t cuda_dev = -1;
  int32_t nvml_dev = -1;
  std::string_view bus_id;
  int32_t local_rank = -1;
  int64_t nranks = -1;           // the size that this rank was told
  std::string_view host;         // known or inferred
  bool seen = false;             // has a line of its own
  Stage reached = Stage::kNone;  // the furthest stage before any teardown
  bool aborted = false;
  bool destroyed = false;
  Stage stage() const { return destroyed ? Stage::kDestroyed : aborted ? Stage::kAborted : reached; }
  Place init_start;
  Place init_complete;
  Place last;                // last line of its process (or of the communicator's teardown)
  int64_t collectives = -1;  // calls logged, -1 when COLL lines are off
  int64_t p2p_calls = -1;
  int64_t completed = -1;  // of the collectives; -1 when nobody says
  const CollectiveStream* stream = nullptr;
  double bootstrap_seconds = -1;
};

// First place at which ranks of a communicator disagree.
struct Divergence {
  bool found = false;
  uint64_t index = 0;  // ordinal of the call, 0-based
  // order (this call and the next are swapped) | skipped (the minority left this call out) | extra (it made one that
  // the others did not) | operation | count | datatype | op | root | missing
  std::string kind;
  std::vector<int32_t> minority;  // the ranks that differ from most, or from what was called before
  bool tied = false;              // two halves, and nothing tells which of them is the odd one: minority is either
  std::string expected;           // "AllReduce count 65536 float32 sum"
  std::string found_instead;
  std::vector<std::pair<int32_t, uint32_t>> lines;  // (rank, line of its call at the divergence), by rank
};

// As all its processes together show it. Which of their lines are of one communicator is told by commId, by parent and
// color, or by size and order (communicator_tracker.h).
struct Communicator {
  CommId id;
  std::string_view comm_id;  // NCCL's hash
  int64_t nranks = -1;
  int64_t nnodes = -1;
  CommId parent;
  std::vector<Rank> ranks;  // by rank: every rank 0..nranks-1, seen or not (beyond limits::kMissingRanks only the seen
                            // ones); a rank that two processes claim stands twice
  std::vector<int32_t> members;  // the ranks it has, ascending, where they are not 0..nranks-1
  int64_t ranks_seen = 0;
  Stage stage = Stage::kNone;  // the least advanced seen rank's
  Divergence divergence;
  bool aborted = false;
  bool destroyed = false;
};

// One connection between two ranks of a communicator, over all channels, as one of its ends prints it: the other end
// has another one.
struct Edge {
  int32_t from = -1;
  int32_t to = -1;
  CommId comm;
  ProcessId process;      // whose line it is: one of the two ends
  char direction = ' ';   // as ConnectionFacts::direction
  std::string transport;  // as ConnectionFacts::transport, with /GDRDMA
  std::string device;
  bool gdr = false;
  uint32_t channels = 0;
  Place place;
};

// A line behind which what follows is of a host.
struct HostHeading {
  uint32_t line = 0;
  std::string host;
};

// Immutable behind BuildJobModel; any number of threads may read it.
struct JobModel {
  std::vector<const SourceFacts*> sources;  // by SourceId, sorted by name
  std::vector<Process> processes;           // by ProcessId
  std::vector<Communicator> communicators;  // by CommId
  std::vector<Edge> edges;
  CommId largest;  // invalid when no communicator is known
  std::vector<std::string> hosts;
  // By SourceId: the host whose lines it holds, by its processes or its name; empty where none is told. May be one that
  // `hosts` does not have.
  std::vector<std::string> source_hosts;
  // By SourceId, by line: behind which the lines of nobody are of a host (host_headings.h).
  std::vector<std::vector<HostHeading>> headings;
  Counters dropped;  // what was left out of the model at a limit

  // The process of a line, or an invalid id. A line without a header belongs to the process of its launcher rank, else
  // to the only process of its file.
  ProcessId ProcessOf(SourceId source, uint32_t process_index, int32_t launcher_rank) const;
  // The rank of a process in the largest communicator (or its only one); -1 when unknown. Process::rank, for ids that
  // may be invalid.
  int32_t RankOf(ProcessId process) const;
  // The rank that a launcher's number in front of a line of `source` means; -1 where it is that of a task with several
  // ranks, whose host, if it has one alone, goes to `host`.
  int32_t RankOfLabel(SourceId source, int32_t label, std::string_view* host) const;
  // The host that a heading in front of this line tells; empty without one.
  std::string_view HostAt(SourceId source, uint32_t line) const;
  // Resolves `10.0.0.7<41243>`, `10.0.0.7`, a host name or `host<port>` to hosts and ranks that are known to own it.
  // Host names are the same up to their first dot. Empty where nobody does; an address that several hosts claim is
  // nobody's.
  struct Owner {
    std::string_view host;
    std::vector<ProcessId> processes;
  };
  Owner ResolveAddress(std::string_view address) const;
  // The name that a host has in this model, of one that a line gives it: its short name, else `told` itself.
  std::string_view NameOfHost(std::string_view told) const;

  // private tables of the resolver
  std::vector<std::vector<ProcessId>> process_of;         // [source][index]
  std::vector<ProcessId> only_process_of;                 // [source], invalid when there is not exactly one
  std::vector<std::map<int32_t, ProcessId>> launcher_of;  // [source] launcher rank -> process
  // [source] a launcher's number under which several processes speak -> these: srun's task that starts many ranks
  std::vector<std::map<int32_t, std::set<ProcessId>>> under_label;
  std::map<std::string, std::string_view, std::less<>> host_of_address;
  std::map<std::string_view, std::string_view> short_names;  // node18.hpc.example.org → node18
};

// `sources` may come in any order; their facts are borrowed, and must not change.
JobModel BuildJobModel(const std::vector<const SourceFacts*>& sources);

}  // namespace ncclwhy

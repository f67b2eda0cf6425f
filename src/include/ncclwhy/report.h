// Report: the one value that every output format renders (`ncclwhy.report/1`).
//
// Plain data, filled by the analyzer, never computed on by a printer. The order of every list is deterministic and is
// the order to print. Strings are UTF-8: bytes of a log that are not are escaped as \xNN before they get here.
// Text of a log is *untrusted*: a printer escapes it for its own format.
//
// Thread safety: plain values.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ncclwhy {

enum class Verdict { kFailure, kHealthy, kUndetermined, kNoNccl };

// Who broke. Unknown members are -1 or empty.
struct Culprit {
  int32_t rank = -1;  // rank in the job's largest communicator
  std::string host;   // as the log spells it
  int64_t pid = -1;
  int32_t gpu = -1;    // CUDA ordinal in that process
  std::string device;  // NIC, for instance mlx5_2
  std::string why;     // one clause: why this one
};

// A line near another one.
struct ContextLine {
  uint64_t line = 0;
  std::string text;  // behind its header, clipped
};

struct Evidence {
  std::string role;   // direct | supporting | contradicting | absent
  std::string file;   // source name as given on the command line; empty when role is absent
  uint64_t line = 0;  // 1-based; 0 when there is no line
  std::string text;   // the line without its launcher prefix, clipped at limits::kEvidenceText
  std::string rule;
  std::string note;  // what the line means
  // Lines of the same file just before and after it, in order, without itself. Of causes only; of what the parser
  // keeps, so there may be gaps.
  std::vector<ContextLine> context = {};
};

struct Fix {
  std::string environment;  // any docker kubernetes slurm mpi bare-metal pytorch vllm ray cloud code
  std::string text;
  std::string command;  // may be empty
  std::string cost;     // may be empty
};

struct Confirm {
  std::string command;
  std::string text;
};

struct Cause {
  std::string id;  // stable, see kb/causes
  std::string title;
  double confidence = 0;  // probability, 0..1, that this is the root cause
  std::string summary;    // one sentence with the log's own values
  std::string meaning;
  std::string mistaken_for;  // what it is not, and why; may be empty
  std::string why_not;       // for causes after the first: what speaks against it
  std::vector<Culprit> culprits;
  std::vector<Evidence> evidence;
  std::vector<Fix> fixes;
  std::vector<Confirm> confirm;
  std::vector<std::string> references;
};

// A line that only reports the failure of somebody else.
struct Consequence {
  std::string file;
  uint64_t line = 0;
  std::string text;
  std::string of;      // cause id; empty when no cause is named
  uint64_t count = 1;  // lines of this kind that were folded into this one
};

struct Collect {
  std::string what;
  std::string command;
};

struct Warning {
  std::string id;  // cause id or a rule id
  std::string text;
  std::vector<Evidence> evidence;
};

struct ReportRank {
  int32_t rank = -1;
  std::string host;
  int64_t pid = -1;
  int32_t gpu = -1;
  std::string stage;  // see job/stage.h
  bool seen = true;   // false: no log of this rank
  bool culprit = false;
  std::string file;  // where its last line stands
  uint64_t last_line = 0;
  std::string last_text;
  int64_t collectives = -1;  // calls issued in this communicator, -1 when not logged
};

struct ReportCommunicator {
  int64_t id = 0;
  std::string comm_id;  // NCCL's hash as printed, may be empty
  int64_t nranks = 0;
  int64_t ranks_seen = 0;
  std::string stage;  // init | connected | running | aborted | destroyed
  std::vector<ReportRank> ranks;
};

struct TransportEdge {  // aggregated over channels
  int32_t from = -1;
  int32_t to = -1;
  std::string transport;  // P2P/IPC, SHM, NET/Socket, NET/IB/GDRDMA, …
  int64_t channels = 0;
};

struct Job {
  std::vector<std::string> nccl_versions;
  int64_t hosts = 0;
  int64_t processes = 0;
  std::vector<ReportCommunicator> communicators;  // largest first
  std::map<std::string, int64_t> transports;      // connections by transport
  std::vector<TransportEdge> edges;               // of the largest communicator
  // Beyond the limits of a report (limits::kReport…), only counted: communicators, and they with ranks and edges.
  int64_t unlisted_communicators = 0;
  int64_t unlisted = 0;
};

// Every input line is in exactly one class: lines = nccl + foreign + damaged, nccl = recognised + unrecognised.
struct Coverage {
  uint64_t lines = 0;
  uint64_t nccl = 0;        // carries an NCCL header (or is one of NCCL's headerless lines)
  uint64_t recognised = 0;  // … and its message is in the catalogue
  uint64_t unrecognised = 0;
  uint64_t foreign = 0;  // everything else, empty lines included
  uint64_t damaged = 0;  // torn, clipped or binary
  uint64_t sources = 0;
  uint64_t bytes = 0;
  std::map<std::string, uint64_t> notes;  // counters that are not zero, by name (base/counters.def)
};

struct Report {
  Verdict verdict = Verdict::kNoNccl;
  std::vector<Cause> causes;  // best first
  std::vector<Consequence> consequences;
  std::vector<Collect> collect;
  std::vector<Warning> warnings;
  Job job;
  Coverage coverage;
  std::vector<std::string> problems;  // inputs that could not be read; makes the exit status 2
};

}  // namespace ncclwhy

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
#include <optional>
#include <string>
#include <vector>

#include "ncclwhy/rank_track.h"

namespace ncclwhy {

// The answer in one word, and with it the exit status (exit_status.h). It follows from the outcome and the causes:
//
//   outcome                  a cause is named    no cause is named
//   succeeded                degraded            healthy
//   failed, hung, stopped    failure             undetermined
//   unknown (an excerpt)     failure, degraded   undetermined when an alarm is not explained, else healthy
//   no line of NCCL          as above when an ending is bad, else no-nccl
enum class Verdict { kFailure, kHealthy, kUndetermined, kNoNccl, kDegraded };

// What became of a job, or of one attempt at it. kStopped: ended from outside (time limit, cancelled, preempted).
// kUnknown: the logs end before the job did, or are an excerpt.
enum class Outcome : uint8_t { kSucceeded, kFailed, kHung, kStopped, kUnknown };

// A line that shows the outcome: an exit code, a signal, the last pulse, the end of a log.
struct OutcomeEvidence {
  std::string file;   // source name; empty when what shows it is that something is missing
  uint64_t line = 0;  // 1-based; 0 when there is no line
  std::string text;   // as Evidence::text
  std::string note;   // what it says about the outcome, one clause
};

// Who broke. Unknown members are -1 or empty.
struct Culprit {
  int32_t rank = -1;  // rank in the job's largest communicator
  std::string host;   // as the log spells it
  int64_t pid = -1;
  int32_t gpu = -1;    // CUDA ordinal in that process
  std::string device;  // NIC, for instance mlx5_2
  std::string why;     // one clause: why this one
};

// A line near an evidence, of those that the parser keeps: of events, of rules and of the catalogue.
struct ContextLine {
  uint64_t line = 0;
  std::string text;  // behind its header, clipped
};

// One line that speaks for or against a cause.
struct Evidence {
  std::string role;   // direct | supporting | contradicting | absent
  std::string file;   // source name as given on the command line; empty when role is absent
  uint64_t line = 0;  // 1-based; 0 when there is no line
  std::string text;   // the line without its launcher prefix, clipped
  std::string rule;
  std::string note;  // what the line means
  // Lines of the same file just before and after it, in order, without itself. Of causes only; of what the parser
  // keeps, so there may be gaps.
  std::vector<ContextLine> context = {};
};

// What to do about a cause, where the job runs in this environment.
struct Fix {
  std::string environment;  // any docker kubernetes slurm mpi bare-metal pytorch vllm ray cloud code
  // One sentence or a few, in the language of the analysis, with the log's own values filled in.
  std::string text;
  std::string command;    // may be empty
  std::string cost;       // may be empty
  std::string host = {};  // to run the command on, "a,b" of several; empty where it does not matter or none is known
  bool at_hand = false;   // the logs show that kind of job, or say nothing against it where it is the usual one
};

// A command or a look that would tell whether it is this cause.
struct Confirm {
  std::string command;
  std::string text;
  std::string host = {};  // as of a Fix
};

// One explanation, with all that a reader needs of it. Texts are in the language of the analysis; `command` and `id`
// are in none.
struct Cause {
  std::string id;  // stable; `ncclwhy explain` lists them
  std::string title;
  // Together with the chance that it is none of them, those of all causes that were weighed add up to 1. A report lists
  // the first few of them.
  double confidence = 0;  // probability, 0..1, that this is the root cause
  std::string summary;    // one sentence with the log's own values
  std::string meaning;
  std::string mistaken_for;  // what it is not, and why; may be empty
  std::string unproven;      // what these lines do not show, one clause: "why rank 3 did so"; may be empty
  std::string why_not;       // for causes after the first: what speaks against it
  std::vector<Culprit> culprits;
  std::vector<Evidence> evidence;
  // At most three, those that fit this job best first.
  std::vector<Fix> fixes;
  std::vector<Confirm> confirm;
  std::vector<std::string> references;
  std::vector<Fix> fixes_elsewhere;  // right in another environment than this job's, or behind the first three
  std::string sure;                  // why this sure, in words: "3 lines on 8 ranks, nothing after them went on"
};

// What it may be instead, when no cause is named or another one is close; most likely first.
struct PossibleCause {
  std::string id;  // cause id
  std::string title;
  std::string tells;    // what would tell it from the others, one clause; may be empty
  std::string command;  // that shows it; may be empty
};

// A public incident that looks like this failure. What it tells is the knowledge's, nothing of it is from the log; it
// is no evidence.
struct SeenIncident {
  std::string id;
  std::string url;                              // https://…
  std::string cause;                            // cause id
  std::string title;                            // one sentence: what happened there
  std::string solved;                           // one sentence: what solved it
  std::map<std::string, std::string> products;  // versions by product, as far as they are known
};

// One start of the job: launchers restart what failed. In order; a job that was started once has no attempts.
struct Attempt {
  Outcome outcome = Outcome::kUnknown;
  std::string cause;  // id; empty when none is named
  std::string file;   // source name; empty when it is in several
  // 1-based.
  uint64_t first_line = 0;
  uint64_t last_line = 0;
  std::string sentence;  // what happened then, with the log's own values
};

// One of several jobs that stand in one place. A report on one job has none of these.
struct JobAnswer {
  std::string name;  // as the log or the files tell them apart: a job id, a folder, a communicator
  Outcome outcome = Outcome::kUnknown;
  Verdict verdict = Verdict::kNoNccl;
  std::string cause;  // id; empty when none is named
  std::string title;  // of the cause, else the verdict in a sentence
  std::vector<Culprit> culprits;
  std::vector<std::string> files;  // source names
  int exit_status = 0;             // what a report on this job alone would exit with
};

// What to do now. It leans to safety: kFixFirst only on evidence that would recur, kRerunWithout only on evidence about
// a host or device.
enum class Action : uint8_t { kUndecided, kRerun, kRerunWithout, kFixFirst };

// The action of the report, for people and for bots that requeue a job.
struct Decision {
  Action action = Action::kUndecided;
  std::vector<std::string> hosts;    // for kRerunWithout, as the log spells them
  std::vector<std::string> devices;  // for kRerunWithout: GPUs or NICs of those hosts, when not the whole host
  double confidence = 0;             // probability, 0..1, that this is right
  std::string why;                   // one sentence
  std::string command;               // in the words of the scheduler in the log: --exclude=node17; may be empty
  bool look_first = false;           // for kRerun: `why` asks for a look that comes before it
  bool end_first = false;            // the job hangs: it holds its machines until somebody ends it
};

// One step of the job's story, from the first sign of work to the ending. The steps of kinds root, consequence and
// ending are the chain: what broke, what followed, how the job ended.
struct TimelineStep {
  std::string kind;  // start | progress | alarm | root | consequence | ending | restart
  // As the log prints it, in the line or in the nearest one in front of it that has a stamp; empty without a clock,
  // then only the order counts.
  std::string time;
  double seconds = -1;  // since the first step that has a clock, hosts' clocks aligned; -1 without
  int32_t rank = -1;
  std::string host;
  std::string what;  // one clause
  std::string file;  // empty when there is no line
  uint64_t line = 0;
  std::string text;
  uint64_t count = 1;               // lines, or ranks, of this kind that were folded into this step
  std::vector<int32_t> ranks = {};  // whose lines a consequence is, of the largest communicator; sorted, each once
  double moved = 0;                 // seconds that were added to its host's clock (HostOffset)
  double at = -1;                   // where it stands on the axis of the tracks; -1: nobody knows
};

// A host whose clock does not agree with another one's: events that both saw rule out that it does.
struct HostOffset {
  std::string host;
  std::string reference;
  std::optional<double> ahead;  // seconds; none where nothing that both saw tells how far they stand apart
  double error = -1;            // the truth is within `ahead` ± this
  uint64_t events = 0;          // that both saw
  uint64_t steps = 0;           // of the timeline that are stamped by its clock; moved where `ahead` is known
  bool misleads = false;        // far enough to put lines of different hosts in the wrong order
};

// A line that only reports the failure of somebody else.
struct Consequence {
  std::string file;
  uint64_t line = 0;
  std::string text;
  std::string of;      // cause id; empty when no cause is named
  uint64_t count = 1;  // lines of this kind that were folded into this one
  // Whose they are, of the largest communicator, where that is known; sorted, each once.
  std::vector<int32_t> ranks = {};
};

// A line that sounds like a failure and is none here: healthy jobs print it, too, or the job went on behind it.
struct HarmlessLine {
  std::string file;
  uint64_t line = 0;
  std::string text;
  std::string why;
  uint64_t count = 1;     // lines of this kind that were folded into this one
  bool got_over = false;  // something did fail, and the job went on behind it
  int32_t alarm = 0;      // how loud it sounds: 0 hardly, 1 somewhat, from 2 on it would be taken for the failure
};

// What somebody said last, where nothing shows how the job ended.
struct LastWord {
  std::string file;
  uint64_t line = 0;
  std::string text;
  std::optional<int32_t> rank = {};  // who says it, where that is known
  std::string host = {};
};

// What to collect for the next time, where the logs do not decide: more than an answer can be made of.
// One sentence. `command` is empty where there is none to run.
struct Collect {
  std::string what;
  std::string command;
};

// Something worth telling that is not the answer: a setting that nobody reads, two hosts with different drivers.
struct Warning {
  std::string id;  // cause id or a rule id
  // One sentence, with the log's own values.
  std::string text;
  std::vector<Evidence> evidence;
  bool slow = false;         // of what costs time and fails nothing
  bool contradicts = false;  // two witnesses cannot both be right: whoever has a failure to mend has to know it
};

// One rank of one communicator, seen or not: a rank without a log is listed, too, where there is room.
struct ReportRank {
  int32_t rank = -1;
  std::string host;
  int64_t pid = -1;
  int32_t gpu = -1;
  // none | process | bootstrap | topology | channels | connected | ready | running | aborted | destroyed
  std::string stage;
  // Without a log, a rank is known from the size of its communicator and from what other ranks say of it.
  bool seen = true;  // false: no log of this rank
  bool culprit = false;
  std::string file;  // where its last line stands
  uint64_t last_line = 0;
  std::string last_text;
  int64_t collectives = -1;  // calls issued in this communicator, -1 when not logged
};

// Ranks that issued the same calls, and these.
struct CallColumn {
  std::vector<int32_t> ranks;      // ascending
  std::vector<std::string> calls;  // one for each row; empty: the log does not hold it
};

// The calls of a communicator around the first one at which its ranks disagree. Calls are numbered from 0.
struct CallTable {
  uint64_t first = 0;               // number of the first row
  uint64_t disagree = 0;            // number of the call at which they disagree
  std::vector<CallColumn> columns;  // most ranks first; empty where the ranks agree or no log lists the calls
};

// A communicator as the ranks' logs together show it. `stage` is that of the rank that is farthest behind.
struct ReportCommunicator {
  // Counted from 1 in the order of the list: a number of this report, which no log knows.
  int64_t id = 0;
  std::string comm_id;  // NCCL's hash as printed, may be empty
  int64_t nranks = 0;
  int64_t ranks_seen = 0;
  std::string stage;  // init | connected | running | aborted | destroyed
  std::vector<ReportRank> ranks;
  CallTable calls_differ;
};

// A connection as the ranks print it: `Channel 00/0 : 2[0] -> 3[1] via P2P/CUMEM`. Sorted by from, to and transport.
struct TransportEdge {  // aggregated over channels
  int32_t from = -1;
  int32_t to = -1;
  std::string transport;  // P2P/IPC, SHM, NET/Socket, NET/IB/GDRDMA, …
  int64_t channels = 0;
};

// One fact about where the job ran: {"launcher", "srun"}, {"container", "docker"}, {"scheduler", "slurm"}.
struct EnvironmentFact {
  std::string name;
  std::string value;
  std::string file;  // the line that shows it
  uint64_t line = 0;
};

// What the logs say of the job, whether anything failed or not.
struct Job {
  // Sorted, each once; more than one is worth a look by itself.
  std::vector<std::string> nccl_versions;
  int64_t hosts = 0;
  int64_t processes = 0;
  std::vector<ReportCommunicator> communicators;  // largest first
  std::map<std::string, int64_t> transports;      // connections by transport
  std::vector<TransportEdge> edges;               // of the largest communicator
  // Beyond the limits of a report, only counted: communicators; and these with ranks, edges, transports, clocks,
  // consequences and warnings.
  int64_t unlisted_communicators = 0;
  int64_t unlisted = 0;
  std::vector<EnvironmentFact> environment;  // by name
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
  std::map<std::string, uint64_t> notes;  // counters that are not zero, by name
};

// The latest state that a program said to have saved, from which the job can go on.
struct Checkpoint {
  std::string step;  // as printed; empty when the line does not tell
  std::string file;
  uint64_t line = 0;
  std::string text;
};

// Everything. What was not read, or was cut off at a limit, is in `problems` and `coverage`: an empty list alone does
// not say that there was nothing.
struct Report {
  Verdict verdict = Verdict::kNoNccl;
  Outcome outcome = Outcome::kUnknown;  // of the job; of its last attempt; of the worst of several jobs
  // No line shows a hang but that the lines end where somebody waits, which may be where somebody cut them.
  bool outcome_inferred = false;
  std::vector<OutcomeEvidence> outcome_evidence;  // most telling first
  std::string progress;                           // how far it came: "41,200 iterations in 3 h 12 min"; may be empty
  std::optional<Checkpoint> checkpoint;           // none where no line tells of one
  std::vector<Attempt> attempts;                  // in order; empty when there was one
  std::vector<JobAnswer> jobs;                    // the worst first; empty when there was one
  // Best first. With Verdict::kFailure the first is what broke, with kDegraded what made the job slow; with
  // kUndetermined none is sure enough to be named.
  std::vector<Cause> causes;
  std::vector<PossibleCause> candidates;
  std::vector<SeenIncident> seen_before;  // most alike first; none where nothing failed
  std::optional<Decision> decision;       // none when there is nothing to decide
  std::vector<TimelineStep> timeline;     // in order
  std::optional<JobSpan> span;            // none without clocks. Like the tracks: not in JSON
  TrackAxis axis = TrackAxis::kSteps;
  std::vector<RankTrack> tracks;   // by rank; none below two ranks. For pictures: not in JSON
  std::vector<HostOffset> clocks;  // those with steps first, then the farthest; none where clocks agree
  std::vector<Consequence> consequences;
  // Ranks of a failed job that complained or ended only because of whom the first cause blames, ascending. Empty where
  // nobody is blamed, or all others waited, which the cause says itself.
  std::vector<int32_t> followers;
  std::vector<HarmlessLine> harmless;  // those that sound worst first
  std::vector<LastWord> last_words;    // only where the outcome is not known and nothing failed
  std::vector<Collect> collect;
  std::vector<Warning> warnings;
  std::string headline;  // the answer in a sentence, where nothing failed and a warning has one; may be empty
  Job job;
  Coverage coverage;
  std::vector<std::string> problems;  // inputs that could not be read; makes the exit status 2
};

}  // namespace ncclwhy

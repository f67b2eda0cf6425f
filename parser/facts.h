// SourceFacts: everything that one source (file, archive member, stream) says about the job, as a mergeable value.
//
// Made by one thread from one source; independent of chunk borders. Facts of several sources are merged by putting
// them into one list ordered by name: nothing in here refers to another source. Bounded by base/limits.h, not by the
// number of uneventful lines.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/counters.h"
#include "base/string_pool.h"
#include "parser/event.h"

namespace ncclwhy {

// A place in a source.
struct LineRef {
  uint32_t line = 0;  // 1-based, 0 = none
  uint64_t offset = 0;
  StringId text;  // clipped at limits::kEvidenceText; invalid where only the place is known
};

// One host:pid as it appears in this source, or the lines without a header that came through one launcher stream
// (a prefix, or none). A stream gets the host and pid of the process that wrote its headers when there is exactly one,
// so several entries of a source may be one process; else its host and pid are what the prefix told, or invalid / -1.
struct ProcessFacts {
  StringId host;  // as spelled; invalid when unknown
  int64_t pid = -1;
  int32_t launcher_rank = -1;                     // most frequent rank of the launcher prefixes on its lines
  LauncherLabel launcher = LauncherLabel::kNone;  // whose labels stood in front of its lines
  StringId pod;                                   // pod, container or actor of a collector prefix
  uint64_t lines = 0;                             // lines of this process
  uint64_t warns = 0;                             // of these, those of level WARN or ABORT
  LineRef first;
  LineRef last;            // its last line in this source: where a killed process stops
  bool last_torn = false;  // the last line is cut
  bool by_stream = false;  // host and pid are of the only process whose headers came through the same stream
};

// An edge, aggregated over channels: `Channel 00/0 : 2[0] -> 3[1] via P2P/CUMEM`.
struct ConnectionFacts {
  // Ranks of the communicator, as printed.
  uint32_t process = kNoProcess;
  int32_t from = -1;
  int32_t to = -1;
  char direction = ' ';   // 's' [send], 'r' [receive], ' ' both ends in one line
  StringId transport;     // P2P/IPC, P2P/CUMEM, SHM, NET/IB, NET/Socket, COLLNET/…
  StringId device;        // "0" of NET/IB/0
  bool gdr = false;       // /GDRDMA
  bool shared = false;    // /Shared: other connections use the same buffers
  uint32_t channels = 0;  // lines folded
  LineRef first;
};

// One call of a COLL line: `AllReduce: opCount 1f sendbuff … count 65536 datatype 7 op 0 root 0 comm 0x… [nranks=4]`.
// `op_count` is hexadecimal there and counts by one in each communicator; `count` is in elements of `datatype`.
struct CollectiveCall {
  uint64_t op_count = 0;
  uint64_t count = 0;  // elements of `datatype`, not bytes
  uint32_t line = 0;
  int32_t root = 0;       // the peer for Send and Recv
  uint8_t operation = 0;  // index into kCollectiveNames
  uint8_t datatype = 0;   // NCCL's number of it: 7 is ncclFloat32
  uint8_t op = 0;         // NCCL's number of the reduction: 0 is ncclSum
  bool operator==(const CollectiveCall&) const = default;
};
inline constexpr std::array<std::string_view, 16> kCollectiveNames = {
    "?",        "AllReduce", "AllGather", "ReduceScatter", "Broadcast", "Reduce", "Send",      "Recv",
    "AlltoAll", "Gather",    "Scatter",   "Put",           "Signal",    "Wait",   "AlltoAllv", "Other"};

// Collectives that one process issued on one communicator pointer, in order, in constant memory: a rolling hash with
// checkpoints (interval doubles when full) and the last limits::kCollectiveWindow calls verbatim. Two ranks that issued
// the same have the same hash, and the first checkpoint that differs brackets the call at which they parted.
// Sends and receives are not part of the hash: their order may differ between ranks.
// A pointer that is used again for another communicator goes on in the same stream.
struct CollectiveStream {
  uint32_t process = kNoProcess;
  StringId comm;           // pointer as printed
  int64_t nranks = -1;     // as the lines say it; -1: they do not
  uint64_t calls = 0;      // collectives, with those that were lost
  uint64_t lost = 0;       // collectives of which no line is left: opCount passes over them
  uint64_t p2p_calls = 0;  // Send and Recv
  uint64_t hash = 0;       // over (operation, count, datatype, op, root) of all calls
  uint64_t interval = 1;   // checkpoints[i] is the hash after (i + 1) * interval calls
  std::vector<uint64_t> checkpoints;
  // Ring buffer; the newest call is at (calls - 1) % kCollectiveWindow. A call of line 0 was lost: nothing is known of
  // it.
  std::vector<CollectiveCall> window;
  std::vector<CollectiveCall> p2p_window;  // the same for Send and Recv
  int64_t completed = -1;                  // how many of the calls are known to have ended; -1: not known
  LineRef first;
  LineRef last;
};

// Lines of one kind in one stream, in bounded memory: how many, and about where. Which stream is told by what holds the
// trail: a beat of a pulse, the news of a stream. Line numbers are those of the source, 1-based.
struct LineTrail {
  uint64_t count = 0;  // with those that are not in `lines`
  uint32_t first = 0;
  uint32_t last = 0;
  uint32_t every = 1;           // lines holds every so many-th of them
  std::vector<uint32_t> lines;  // ascending, at most limits::kTrailLines
  // Lines come in ascending order.
  void Add(uint32_t line);
  // How many came behind `line`; at least 1 when one did, else exact to `every`. Behind a Join of trails that keep
  // different shares of their lines an estimate: each line that is kept counts for `every` of them then.
  uint64_t After(uint32_t line) const;
  // Puts a trail of later lines behind this one.
  void Join(const LineTrail& later);
};

// How far a pulse had come when its number began anew: the next epoch, the next bar, another run in the same file.
struct PulsePeak {
  uint32_t line = 0;  // of its last beat before
  double value = 0;
  bool carried = false;  // a number in front of it went on by one: Epoch 2 step 600/620 → Epoch 3 step 0/620
};

// So many bytes of the line that beat last are kept.
inline constexpr size_t kBeatTextKept = 160;

// A pulse: lines of one skeleton that came back while a number in them grew (parser/pulse_table.h). Its beats are the
// lines in which it grew.
struct PulseFacts {
  uint32_t process = kNoProcess;
  LineTrail beats;
  double first_value = 0;          // in the line in which the kind came first
  double last_value = 0;           // the highest one since it last began anew
  double total = -1;               // "of" how many: 40 in `38/40`; -1 when the line says none
  StringId name;                   // the word beside the number: step, iteration, it; may be invalid
  LineRef last;                    // the latest beat, its text where nobody knows what it counts
  StringId first_time, last_time;  // as printed; invalid without
  std::vector<PulsePeak> peaks;    // in order, at most limits::kPulsePeaks of them, spread over the source
};

// Somebody waits: a line that came again while nothing in it changed but a number that counted the seconds between its
// stamps, or of which its words say so where nothing stamps it. No work goes on in it, however it grows.
//   W0606 10:39:31.441 data_loader] read of c4.array_record-00711 pending for 660 s      … pending for 720 s
struct WaitFacts {
  uint32_t process = kNoProcess;
  uint32_t first_line = 0;  // of the second time it came
  uint32_t last_line = 0;
  double seconds = 0;  // that the last one says
  StringId last_time;  // as printed; invalid without
};

// What a stream said that it had not said before, and that is no complaint: `saving checkpoint to /ckpt/run17`.
// Repeated texts are not in it. An alarm behind which news come was survived: see src/job/README.md.
struct NewsFacts {
  uint32_t process = kNoProcess;
  LineTrail lines;
  StringId last;  // the text of the last one
};

// A sentence that sounds wrong, where it came first (parser/complaints.h). Where no prefix or header tells whose it is
// `process` is the stream without one.
struct ComplaintFacts {
  uint32_t process = kNoProcess;
  uint32_t line = 0;
  StringId text;  // clipped
};

// A line of a short text without lines of NCCL: a table beside the log, what a shell answered.
struct SideRow {
  uint32_t line = 0;
  StringId text;  // clipped
};

// Everything in here that names a text is an id into `strings`, and everything that names a process an index into
// `processes`: a SourceFacts can be moved, and written to a file, as it stands.
struct SourceFacts {
  std::string name;    // as given by the user, or archive.tar/member
  uint64_t bytes = 0;  // of the source as it was read, decompressed
  StringPool strings;
  Counters counters;  // coverage classes and everything that was dropped
  std::vector<ProcessFacts> processes;
  std::vector<Event> events;  // in line order
  std::vector<Field> fields;
  std::vector<ConnectionFacts> connections;
  std::vector<CollectiveStream> collectives;
  std::vector<PulseFacts> pulses;          // by process, then by first beat
  std::vector<WaitFacts> waits;            // by process
  std::vector<NewsFacts> news;             // by process
  std::vector<ComplaintFacts> complaints;  // in line order
  std::vector<SideRow> rows;               // in line order; none of a log

  std::string_view Str(StringId id) const { return strings.View(id); }
  // The value of a field, or an empty view.
  std::string_view Get(const Event& event, FieldId field) const;
};

}  // namespace ncclwhy

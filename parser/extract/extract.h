// Extractors: one function per family of messages. Each looks at the body of a line and, when the text is one of its
// own, writes an event or aggregated fact. None keeps state of the line.
//
// To add a message see parser/README.md.
#pragma once

#include <optional>
#include <string_view>

#include "parser/extract/message_signs.h"
#include "parser/facts_builder.h"
#include "parser/parsed_line.h"

namespace ncclwhy {

// One NCCL record or one line of another program, whose it is, and where its facts go. All borrowed; made for each
// line.
struct Extraction {
  const ParsedLine& line;
  uint32_t process;
  FactsBuilder& out;
  mutable std::optional<MessageSigns> signs = std::nullopt;  // until a family asks
  std::string_view body() const { return line.body; }
  // Of lines of others: found in one pass for all families (parser/telling_words).
  bool Has(TellingWord word) const { return line.words.Has(word); }
  // Of NCCL's, the same.
  bool Has(MessageSign sign) const {
    if (!signs) signs.emplace(body());
    return signs->Has(sign);
  }
  EventWriter Begin(EventKind kind) const { return out.Begin(kind, line, process); }
};

enum class Known : uint8_t {
  kNo,     // not a message of this family
  kQuiet,  // known and eventless: neither recognizer nor sink need to see it
  kYes,    // known
};

// Channel lists, edges, rings, trees, graph dumps, COLL and CALL lines; the hot path. kNo when anything is unusual.
// It is asked first, and a line that it takes is not parsed any further. With `keep_every_collective` each COLL line is
// an event besides.
Known ExtractQuiet(const Extraction& x, bool keep_every_collective);

// One family of NCCL's messages. Whether it knows a message depends on level and words of the body alone, never on its
// numbers (parser/skeleton.h).
// The fast path relies on that: it asks once for all lines of a shape (parser/fast/line_meaning.h).
using ExtractFamily = Known (*)(const Extraction& x);

// NCCL's other messages, by family. `*family` is who knows the message, or null.
// Asked in a fixed order; the first family that knows the message has it.
Known ExtractNccl(const Extraction& x, ExtractFamily* family);
// The same where ExtractNccl has said whose it is, of the same level and body.
Known ExtractNcclAs(const Extraction& x, ExtractFamily family);
// ncclCommInitRank comm 0x55d0 rank 3 nranks 16 cudaDev 3 … commId 0x1f - Init START
Known ExtractInit(const Extraction& x);
// comm 0x55d0 rank 3 nranks 16 cudaDev 3 busId 9d000 - Abort COMPLETE
Known ExtractAbort(const Extraction& x);
// Bootstrap: Using eth0:10.0.0.7<0>
Known ExtractBootstrap(const Extraction& x);
// NCCL_IB_HCA set by environment to mlx5_0
Known ExtractEnv(const Extraction& x);
// NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.0.0.7<0>
Known ExtractNet(const Extraction& x);
// Channel 00/0 : 2[0] -> 3[1] via P2P/CUMEM
Known ExtractChannel(const Extraction& x);
// AllReduce: opCount 1f sendbuff 0x7f32 recvbuff 0x7f32 count 65536 datatype 7 op 0 root 0 comm 0x55d0 [nranks=16] …
Known ExtractCollective(const Extraction& x, bool keep_every_collective);
// ncclAllReduce(7f1fd2c00000,7f1fd2c00000,256,2,0,0,0x55d3,0x55d4)
Known ExtractCall(const Extraction& x);
Known ExtractQuietCall(const Extraction& x);
// socketProgress: Connection closed by remote peer node7<43083>
Known ExtractSocket(const Extraction& x);
// NET/IB: Got completion from peer 10.0.0.7<51264> with status=12 opcode=129 len=0 vendor err 129
Known ExtractIb(const Extraction& x);
Known ExtractProxy(const Extraction& x);
// init.cc:1200 -> 2
Known ExtractResultTrace(const Extraction& x);
// What NCCL found of the machine: GPUs, NICs, the paths between them.
Known ExtractTopo(const Extraction& x);

// Which column of a table tells what; -1: none does. 0 columns: no table is open.
struct RollTable {
  static constexpr size_t kColumns = 12;
  int rank = -1, host = -1, pid = -1, bus = -1;
  int columns = 0;
};
// Lines of other programs, by dialect. ForeignState remembers the few things that take more than one line.
// One for a source, so a table that another writer's lines interrupt still completes.
struct ForeignState {
  RollTable roll;
  uint32_t last_error_stream = kNoProcess;  // the process whose `Last error:` the next line completes
  bool last_error_open = false;
  std::string elastic_rank, elastic_local_rank, elastic_host;
};
// Whether one of them took it.
bool ExtractForeign(const Extraction& x, ForeignState& state);
// [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=39, OpType=ALLREDUCE, …) ran for 600014 …
bool ExtractTorch(const Extraction& x, ForeignState& state);
// failed (exitcode: -9) local_rank: 3 (pid: 4711) of binary: /usr/bin/python
bool ExtractElastic(const Extraction& x, ForeignState& state);
// torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB
bool ExtractPython(const Extraction& x);
// mpirun noticed that process rank 3 with PID 4711 on node gpu-a17 exited on signal 9 (Killed).
bool ExtractMpi(const Extraction& x);
// slurmstepd: error: *** STEP 41.0 ON node1 CANCELLED AT 2026-11-20T10:00:00 DUE TO TIME LIMIT ***
bool ExtractSlurm(const Extraction& x);
// NVRM: Xid (PCI:0000:1b:00): 79, pid=4711, GPU has fallen off the bus.
bool ExtractKernel(const Extraction& x);
// Reason: OOMKilled
bool ExtractKubernetes(const Extraction& x);
// Lines in which a program says at its start who is where; job/roll_call.h reads them.
bool ExtractRollCall(const Extraction& x);
// The rows of a table of who is where: rank host pid …
bool ExtractRollTable(const Extraction& x, RollTable& table);
// root@node3:~# dmesg -T | tail: what follows is of that host; job/host_headings.h reads them.
bool ExtractHostHeading(const Extraction& x);

// `ADDR<PORT>` or `HOST<PORT>` split; port empty when there is none.
// Views of the text. IPv6 keeps its scope: `fe80::1%eth0<41243>`.
struct Endpoint {
  std::string_view host;
  std::string_view port;
};
Endpoint SplitEndpoint(std::string_view text);

}  // namespace ncclwhy

// TellingWords: which words that tell something are in a line of another program. One pass for all that is asked of its
// words instead of a search for each: nearly every line has none.
#pragma once

#include <cstdint>
#include <string_view>

namespace ncclwhy {

enum class TellingWord : uint8_t {
  kNccl,            // in a traceback, a log entry, a sentence of an operator
  kExitCode,        // torchrun: failed (exitcode: -9) local_rank: 3
  kSendingProcess,  // torchrun: Sending process 4711 closing signal SIGTERM
  kProcessRank,     // mpirun: process rank 3 with PID 0 on node gpu-a17 exited on signal 9
  kTestFailure,     // nccl-tests: node3: Test NCCL failure common.cu:1005
  kCudaFailure,     // nccl-tests: node3: Test CUDA failure all_reduce.cu:44
  kLogEntry,        // nccl-tests: "log entry (may be unrelated) '…'"
  kProcessGroup,    // torch: [PG 0 Rank 3] ProcessGroupNCCL watchdog …
  kBackendError,    // torch: torch.distributed.DistBackendError: NCCL error in: …
  kElasticModule,   // torch.distributed.elastic.multiprocessing.api: [ERROR] failed
  kElasticPath,     // torch/distributed/elastic/agent/server/api.py:900
  kSignal,          // Open MPI: [gpu-a17:4711] *** Process received signal ***
  kSignalNumber,    // Open MPI: [gpu-a17:4711] Signal: Segmentation fault (11)
  kCaughtSignal,    // UCX: Caught signal 11 (Segmentation fault: …)
  kUcx,             // [1709.12] [gpu-a17:4711:0] ib_mlx5_log.c:179 UCX  ERROR …
  kXid,             // kernel: NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus
  kOomKilled,       // kubectl: Reason: OOMKilled
  kScheduling,      // kubectl: Warning FailedScheduling
  kCrashLoop,       // kubectl: CrashLoopBackOff
  kKubelet,         // Normal Pulled 2m kubelet …
  kSegfault,        // kernel: python[4711]: segfault at 0 ip …
  // Below: what programs of every kind say.
  kRank,       // rank, Rank or RANK
  kWho,        // what a line that says who is where may have instead (extract/roll_call.cc)
  kPids,       // NSpid: of /proc/PID/status
  kStackTool,  // gdb, py-spy or pstack, and a blank
  kComplaint,  // complaint_words.def
};

// Bytes of a line in which it complains. A bound for what complaints are kept of it: who complains does so in the first
// words, what follows is a dump of values.
inline constexpr uint16_t kComplaintReach = 400;

class TellingWords {
 public:
  TellingWords() = default;
  // Searches the whole text once.
  explicit TellingWords(std::string_view text) : words_(Find(text)) {}

  // Nearly never: then a line is asked nothing more. So a line of a program costs one search here, whatever families of
  // messages are added, as long as each has a telling word.
  bool Any() const { return (words_ & kTelling) != 0; }
  bool Has(TellingWord word) const { return (words_ >> static_cast<uint8_t>(word) & 1) != 0; }

 private:
  static constexpr uint32_t kTelling = (uint32_t{2} << static_cast<uint8_t>(TellingWord::kSegfault)) - 1;
  static uint32_t Find(std::string_view text);

  uint32_t words_ = 0;
};

}  // namespace ncclwhy

// PyTorch's C++ logger, its watchdog and what it quotes from NCCL.
//   [E1205 04:35:53.347712782 ProcessGroupNCCL.cpp:607] [Rank 3] Watchdog caught collective operation timeout:
//     WorkNCCL(SeqNum=4410, OpType=BROADCAST, NumelIn=1, NumelOut=1, Timeout(ms)=1800000) ran for 1800098 milliseconds
//     …
//   [E…] [PG ID 0 PG GUID 0(default_pg) Rank 3] Exception (either an error or timeout) detected by watchdog at work:
//   4410,
//     last enqueued NCCL work: 4412, last completed NCCL work: 4409.
//   torch.distributed.DistBackendError: NCCL error in: …/ProcessGroupNCCL.cpp:77, unhandled system error …, NCCL
//   version 2.21.5 Last error: socketProgress: Connection closed by remote peer node3<41243>
#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

using scan::After;
using scan::Contains;
using scan::StartsWith;
using scan::WordAfter;

// `[PG ID 1 PG GUID 2(desc) Rank 1]` → `2(desc)`; `[PG 0 (default_pg) Rank 3]` → `0 (default_pg)`
std::string_view GroupName(std::string_view body) {
  std::string_view rest = After(body, "PG GUID ");
  if (rest.empty()) rest = After(body, "[PG ");
  const size_t end = scan::Find(rest, " Rank ");
  return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
}

void WriteRank(const Extraction& x, EventWriter& e) {
  // The launcher's number is the global rank; `[Rank N]` is a rank of the first group that printed.
  if (x.line.outer.rank >= 0) {
    e.Set(FieldId::kRank, x.line.outer.rank);
    return;
  }
  std::string_view rank = WordAfter(x.body(), "[Rank ", "] ");
  if (rank.empty()) rank = WordAfter(x.body(), " Rank ", "] ");
  if (!rank.empty() && scan::IsDigit(rank[0])) e.Set(FieldId::kRank, rank);
}

bool Watchdog(const Extraction& x) {
  const std::string_view body = x.body();
  // Two ranks that write at once tear each other's lines: `collective operatSetting … ion timeout:
  // WorkNCCL(SeqNum=2109`.
  const bool timeout = Contains(body, "ollective operation timeout") ||
                       (Contains(body, "aught collective oper") && Contains(body, " timeout: WorkNCCL("));
  const std::string_view state = After(body, "detected by watchdog at work: ");
  const std::string_view at = After(body, "Timeout at NCCL work: ");
  if (!timeout && state.empty() && at.empty()) return false;
  EventWriter e = x.Begin(EventKind::kTorchWatchdog);
  WriteRank(x, e);
  e.Set(FieldId::kPg, GroupName(body));
  if (timeout) {
    e.Set(FieldId::kSeq, WordAfter(body, "SeqNum="))
        .Set(FieldId::kOperation, WordAfter(body, "OpType="))
        .Set(FieldId::kCount, WordAfter(body, "NumelIn="))
        .Set(FieldId::kNumelOut, WordAfter(body, "NumelOut="))
        .Set(FieldId::kTimeoutMs, WordAfter(body, "Timeout(ms)="));
    return true;
  }
  e.Set(FieldId::kSeq, scan::Cursor(state.empty() ? at : state).Until(" ,."))
      .Set(FieldId::kTotal, WordAfter(body, "last enqueued NCCL work: ", " ,."))
      .Set(FieldId::kValue, WordAfter(body, "last completed NCCL work: ", " ,."));
  return true;
}

bool BackendError(const Extraction& x) {
  const std::string_view body = x.body();
  const bool error = Contains(body, "NCCL error in: ") || Contains(body, "NCCL error: ") ||
                     Contains(body, "NCCL communicator was aborted") || Contains(body, "DistBackendError");
  if (!error) return false;
  EventWriter e = x.Begin(EventKind::kTorchError);
  // `…, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.21.5`
  static constexpr std::string_view kResults[] = {
      "unhandled cuda error", "unhandled system error", "internal error",   "invalid argument",
      "invalid usage",        "remote process exited",  "ncclRemoteError",  "ncclSystemError",
      "ncclInternalError",    "ncclUnhandledCudaError", "ncclInvalidUsage", "ncclInvalidArgument"};
  for (std::string_view result : kResults) {
    if (!Contains(body, result)) continue;
    e.Set(FieldId::kResult, result);
    break;
  }
  e.Set(FieldId::kVersion, WordAfter(body, "NCCL version "));
  WriteRank(x, e);
  return true;
}

}  // namespace

bool ExtractTorch(const Extraction& x, ForeignState& state) {
  const std::string_view body = scan::Trim(x.body());
  if (body.empty()) return false;
  if (state.last_error_open && state.last_error_stream == x.process) {
    state.last_error_open = false;
    x.Begin(EventKind::kTorchLastError).Set(FieldId::kMessage, body);
    return true;
  }
  if (body == "Last error:") {
    state.last_error_open = true;
    state.last_error_stream = x.process;
    return true;
  }
  if (StartsWith(body, "Last error: ") || StartsWith(body, "Last error:\t")) {
    x.Begin(EventKind::kTorchLastError).Set(FieldId::kMessage, scan::Trim(body.substr(11)));
    return true;
  }
  const bool relevant = x.line.dialect == Dialect::kTorch || x.Has(TellingWord::kNccl);
  if (relevant && (Watchdog(x) || BackendError(x))) return true;
  if (x.line.dialect != Dialect::kTorch || Contains(body, "elastic") || StartsWith(body, "frame #")) return false;
  EventWriter e = x.Begin(EventKind::kTorch);
  WriteRank(x, e);
  return true;
}

}  // namespace ncclwhy

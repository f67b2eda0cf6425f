// Communicator life: start, completion, place in the job, timings.
//   ncclCommInitRank comm 0x55 rank 0 nranks 4 cudaDev 0 nvmlDev 0 busId 10000 commId 0x44684a0eed6119fe - Init START
//   ncclCommSplit comm 0x56 rank 0 nranks 2 cudaDev 0 … parent 0x55 splitCount 1 color 0 key 0- Init START
//   [Rank 0] ncclCommInitRank comm 0x55 rank 0 …                     (2.29 and newer)
//   comm 0x55 rank 0 nRanks 4 nNodes 2 localRanks 2 localRank 0 MNNVL 0
//   Init timings - ncclCommInitRank: rank 0 nranks 4 total 0.72 (kernels 0.00, alloc 0.00, bootstrap 0.09, …)
#include "parser/extract/comm_line.h"
#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

using scan::After;
using scan::StartsWith;

Known ExtractTimings(const Extraction& x) {
  const std::string_view body = x.body();
  EventWriter e = x.Begin(EventKind::kInitTimings);
  e.Set(FieldId::kRank, scan::WordAfter(body, " rank "));
  e.Set(FieldId::kNranks, scan::WordAfter(body, "nranks "));
  e.Set(FieldId::kTotal, scan::WordAfter(body, "total "));
  e.Set(FieldId::kBootstrapSeconds, scan::WordAfter(body, "bootstrap "));
  const std::string_view function = After(body, "Init timings - ");
  if (!function.empty()) e.Set(FieldId::kFunction, scan::Cursor(function).Until(":"));
  return Known::kYes;
}

}  // namespace

Known ExtractInit(const Extraction& x) {
  const std::string_view body = x.body();
  if (StartsWith(body, "Init timings")) return ExtractTimings(x);
  CommLine line;
  if (!ParseCommLine(body, &line)) {
    if (StartsWith(body, "ncclCommGrow: ") || StartsWith(body, "ncclCommInit") || x.Has(MessageSign::kNoColor)) {
      return Known::kYes;
    }
    return Known::kNo;
  }
  EventKind kind;
  if (line.phase == "Init START" || line.phase.empty()) {
    kind = line.nnodes.empty() ? EventKind::kCommInitStart : EventKind::kCommTopology;
  } else if (line.phase == "Init COMPLETE" || line.phase == "COMPLETE") {
    kind = EventKind::kCommInitComplete;
  } else {
    return Known::kNo;
  }
  WriteCommFields(line, x.Begin(kind));
  return Known::kYes;
}

}  // namespace ncclwhy

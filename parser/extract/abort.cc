// The end of a communicator.
//   comm 0x55 rank 1 nranks 4 cudaDev 1 busId 20000 - Abort COMPLETE
//   comm 0x55 rank 1 nRanks 4 nNodes 2 localRanks 2 localRank 1 - Abort START      (2.28.3 and newer)
//   comm 0x55 rank 1 nranks 4 cudaDev 1 busId 20000 - Destroy COMPLETE
//   comm 0x55 rank 1 nranks 4 … - Revoke COMPLETE, result 0                        (2.28.7 and newer)
#include "parser/extract/comm_line.h"
#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {

Known ExtractAbort(const Extraction& x) {
  const std::string_view body = x.body();
  CommLine line;
  if (ParseCommLine(body, &line)) {
    EventKind kind;
    if (scan::StartsWith(line.phase, "Abort")) {
      kind = EventKind::kCommAbort;
    } else if (scan::StartsWith(line.phase, "Destroy") || scan::StartsWith(line.phase, "Finalize")) {
      kind = EventKind::kCommDestroy;
    } else if (scan::StartsWith(line.phase, "Revoke")) {
      kind = EventKind::kCommRevoke;
    } else {
      return Known::kYes;
    }
    WriteCommFields(line, x.Begin(kind));
    return Known::kYes;
  }
  // CommRevokeAsync START comm 0x… / CommRevokeAsync END comm 0x… result 0
  if (scan::StartsWith(body, "CommRevokeAsync ")) {
    x.Begin(EventKind::kCommRevoke)
        .Set(FieldId::kComm, scan::WordAfter(body, "comm "))
        .Set(FieldId::kPhase, scan::WordAfter(body, "CommRevokeAsync "));
    return Known::kYes;
  }
  return Known::kNo;
}

}  // namespace ncclwhy

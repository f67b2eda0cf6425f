// Kubernetes: events and states as kubectl shows them.
//   Warning  BackOff  2m  kubelet  Back-off restarting failed container      Reason: OOMKilled      Exit Code: 137
#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {

bool ExtractKubernetes(const Extraction& x) {
  const std::string_view body = x.body();
  std::string_view event;
  for (std::string_view reason :
       {"OOMKilled", "Evicted", "CrashLoopBackOff", "FailedScheduling", "BackOff", "Preempted"}) {
    if (!scan::Contains(body, reason)) continue;
    event = reason;
    break;
  }
  x.Begin(EventKind::kKubernetes)
      .Set(FieldId::kEvent, event)
      .Set(FieldId::kExitCode, scan::Cursor(scan::Trim(scan::After(body, "Exit Code:"))).Word());
  return true;
}

}  // namespace ncclwhy

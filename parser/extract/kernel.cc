// The kernel: GPU faults, the OOM killer, crashes.
//   NVRM: Xid (PCI:0000:3b:00): 79, pid=4711, name=python3, GPU has fallen off the bus.
//   Out of memory: Killed process 4711 (python3) total-vm:…
//   Memory cgroup out of memory: Killed process 4711 (python3)
//   oom-kill:constraint=CONSTRAINT_MEMCG,…,task=python3,pid=4711,uid=0
//   python3[4711]: segfault at 0 ip …
#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

using scan::After;
using scan::WordAfter;

}  // namespace

bool ExtractKernel(const Extraction& x) {
  const std::string_view body = x.body();
  if (const std::string_view rest = After(body, "NVRM: Xid ("); !rest.empty()) {
    std::string_view bus = scan::Cursor(rest).Until(")");
    if (scan::StartsWith(bus, "PCI:")) bus.remove_prefix(4);
    EventWriter e = x.Begin(EventKind::kKernelXid);
    e.Set(FieldId::kBusId, bus);
    e.Set(FieldId::kXid, WordAfter(rest, "): "));
    e.Set(FieldId::kPid, scan::Trim(WordAfter(rest, "pid=", ",;")));
    e.Set(FieldId::kProcess, WordAfter(rest, "name="));
    e.Set(FieldId::kHost, x.line.outer.host);
    return true;
  }
  if (const std::string_view rest = After(body, "illed process "); !rest.empty()) {
    x.Begin(EventKind::kKernelOom)
        .Set(FieldId::kPid, scan::Cursor(rest).Until(" ,"))
        .Set(FieldId::kProcess, scan::Cursor(After(rest, "(")).Until(")"))
        .Set(FieldId::kHost, x.line.outer.host);
    return true;
  }
  if (scan::StartsWith(body, "oom-kill:")) {
    x.Begin(EventKind::kKernelOom)
        .Set(FieldId::kPid, WordAfter(body, "pid="))
        .Set(FieldId::kProcess, WordAfter(body, "task="))
        .Set(FieldId::kHost, x.line.outer.host);
    return true;
  }
  if (scan::Contains(body, "segfault at ")) {
    x.Begin(EventKind::kSignal)
        .Set(FieldId::kSignal, "SIGSEGV")
        .Set(FieldId::kPid, scan::Cursor(After(body, "[")).Until("]"))
        .Set(FieldId::kHost, x.line.outer.host);
    return true;
  }
  x.Begin(EventKind::kKernel).Set(FieldId::kHost, x.line.outer.host);
  return true;
}

}  // namespace ncclwhy

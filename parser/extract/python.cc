// The last line of a traceback, and deaths that Python or the shell announce.
//   RuntimeError: NCCL error: unhandled system error      torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to …
//   Segmentation fault (core dumped)      Aborted (core dumped)      Bus error (core dumped)      Killed
//   Fatal Python error: Aborted
// Before the stack of another process, that process:
//   ray.exceptions.RayTaskError(OutOfMemoryError): ray::Worker.step() (pid=4415, ip=10.0.3.17, actor_id=6d3c…)
#include "parser/dialect.h"
#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

using scan::StartsWith;

struct Death {
  std::string_view text;
  std::string_view signal;
};
constexpr Death kDeaths[] = {{"Segmentation fault", "SIGSEGV"},
                             {"Aborted (core dumped)", "SIGABRT"},
                             {"Bus error", "SIGBUS"},
                             {"Floating point exception", "SIGFPE"},
                             {"Illegal instruction", "SIGILL"},
                             {"Fatal Python error: Aborted", "SIGABRT"},
                             {"Fatal Python error: Segmentation fault", "SIGSEGV"},
                             {"Fatal Python error: Bus error", "SIGBUS"}};

bool ExtractRayTask(const Extraction& x) {
  constexpr size_t kHead = 160;
  const std::string_view body = x.body();
  if (!StartsWith(body, "ray.exceptions.") && !StartsWith(body, "ray::")) return false;
  const size_t task = body.substr(0, kHead).find("ray::");
  if (task == std::string_view::npos) return false;
  const std::string_view of = scan::After(body.substr(task), " (pid=");
  const std::string_view host = scan::After(of, ", ip=");
  if (host.empty()) return false;
  x.Begin(EventKind::kFramework)
      .Set(FieldId::kPid, scan::Cursor(of).Until(","))
      .Set(FieldId::kHost, scan::Cursor(host).Until(",)"));
  return true;
}

}  // namespace

bool ExtractPython(const Extraction& x) {
  const std::string_view body = x.body();
  if (body.empty()) return false;
  if (body[0] == 'r' && ExtractRayTask(x)) return true;
  for (const Death& death : kDeaths) {
    if (!StartsWith(body, death.text)) continue;
    x.Begin(EventKind::kSignal).Set(FieldId::kSignal, death.signal);
    return true;
  }
  if (body == "Killed") {
    x.Begin(EventKind::kSignal).Set(FieldId::kSignal, "SIGKILL");
    return true;
  }
  // SniffDialect has asked the same of a text of which it knows nothing.
  const size_t n = x.line.dialect == Dialect::kUnknown ? 0 : PythonExceptionLength(body);
  if (n == 0) return false;
  EventWriter e = x.Begin(EventKind::kPythonException);
  e.Set(FieldId::kException, body.substr(0, n));
  if (n + 1 < body.size()) e.Set(FieldId::kMessage, scan::Trim(body.substr(n + 1)));
  if (x.line.outer.rank >= 0) e.Set(FieldId::kRank, x.line.outer.rank);
  return true;
}

}  // namespace ncclwhy

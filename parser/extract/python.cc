// The last line of a traceback, and deaths that Python or the shell announce.
//   RuntimeError: NCCL error: unhandled system error      torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to …
//   Segmentation fault (core dumped)      Aborted (core dumped)      Bus error (core dumped)      Killed
//   Fatal Python error: Aborted
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

}  // namespace

bool ExtractPython(const Extraction& x) {
  const std::string_view body = x.body();
  if (body.empty()) return false;
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

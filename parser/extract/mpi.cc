// mpirun, prterun, UCX and what they say about dead ranks.
//   mpirun noticed that process rank 3 with PID 4711 on node node3 exited on signal 9 (Killed).
//   [node3:04711] *** Process received signal ***      [node3:04711] Signal: Bus error (7)
//   [node3:4711 :0:4790] Caught signal 7 (Bus error: nonexistent physical address)
//   MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD      Process name: [[1234,1],3]      Exit code: 127
#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

using scan::After;
using scan::Contains;
using scan::WordAfter;

// `[node3:04711] …` → host, pid
bool TakeBracket(std::string_view body, std::string_view* host, uint64_t* pid) {
  scan::Cursor c(body);
  if (!c.Char('[')) return false;
  *host = c.Until(":] ");
  return !host->empty() && c.Char(':') && c.Uint(pid);
}

}  // namespace

bool ExtractMpi(const Extraction& x) {
  const std::string_view body = x.body();
  std::string_view host;
  uint64_t pid = 0;
  if (const std::string_view rest =
          x.Has(TellingWord::kProcessRank) ? After(body, "process rank ") : std::string_view{};
      !rest.empty() && Contains(rest, "exited on signal ")) {
    x.Begin(EventKind::kSignal)
        .Set(FieldId::kRank, scan::Cursor(rest).Word())
        .Set(FieldId::kPid, WordAfter(rest, "PID "))
        .Set(FieldId::kHost, WordAfter(rest, "on node "))
        .Set(FieldId::kSignal, WordAfter(rest, "exited on signal ", " ."));
    return true;
  }
  if (TakeBracket(body, &host, &pid)) {
    std::string_view signal;
    if (x.Has(TellingWord::kCaughtSignal)) signal = WordAfter(body, "Caught signal ");
    if (signal.empty() && x.Has(TellingWord::kSignalNumber)) {
      const std::string_view text = After(body, "] Signal: ");
      signal = scan::Cursor(After(text, "(")).Until(")");
    }
    if (!signal.empty()) {
      x.Begin(EventKind::kSignal)
          .Set(FieldId::kHost, host)
          .Set(FieldId::kPid, static_cast<int64_t>(pid))
          .Set(FieldId::kSignal, signal);
      return true;
    }
  }
  if (x.line.dialect != Dialect::kMpi) return false;
  EventWriter e = x.Begin(EventKind::kMpi);
  e.Set(FieldId::kRank, WordAfter(body, "invoked on rank "));
  e.Set(FieldId::kExitCode, scan::Cursor(scan::Trim(After(body, "Exit code:"))).Word());
  if (const std::string_view name = After(body, "Process name: [["); !name.empty()) {
    e.Set(FieldId::kRank, scan::Cursor(After(name, "],")).Until("]"));
  }
  if (!host.empty()) e.Set(FieldId::kHost, host).Set(FieldId::kPid, static_cast<int64_t>(pid));
  return true;
}

}  // namespace ncclwhy

// The unwinding stack of a failed call, nearest to the failure first; and allocation lines, which look alike.
//   misc/socket.cc:484 -> 2
//   transport/net.cc:783 (ncclTransportConnect) -> 2
//   init.cc:1012 -> 2 (No such file or directory)
//   group.cc:64 -> 3 [Async thread]
//   init.cc:1994 Cuda Host Alloc Size 4 pointer 0x7f1fd3400000
#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {

Known ExtractResultTrace(const Extraction& x) {
  scan::Cursor c(x.body());
  const std::string_view file = c.Until(": ");
  uint64_t line = 0;
  int64_t code = 0;
  if (file.empty() || !c.Char(':') || !c.Uint(&line) || !c.Char(' ')) return Known::kNo;
  std::string_view function;
  if (c.Char('(')) {
    function = c.Until(")");
    if (!c.Literal(") ")) return Known::kNo;
  }
  if (!c.Literal("-> ")) {
    for (std::string_view head : {"Cuda ", "Mem ", "Ibv ", "NCCL alloc", "memory", "Free ", "CUMEM ", "ncclCu"}) {
      if (!scan::StartsWith(c.Rest(), head)) continue;
      x.Begin(EventKind::kRegistration);
      return Known::kYes;
    }
    return Known::kNo;
  }
  if (!c.Int(&code)) return Known::kNo;
  EventWriter e = x.Begin(EventKind::kResultTrace);
  e.Set(FieldId::kCode, code).Set(FieldId::kPath, file).Set(FieldId::kFunction, function);
  c.SkipSpaces();
  if (c.Char('(')) e.Set(FieldId::kErrnoText, c.Until(")"));
  return Known::kYes;
}

}  // namespace ncclwhy

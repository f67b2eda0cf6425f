// The interface over which ranks meet.
//   Bootstrap : Using eth0:10.0.0.3<0>      Bootstrap: Using eth0:10.0.0.3<0>      Bootstrap : Using
//   [0]eth0:10.0.0.3<0> Bootstrap timings total 0.09 (create 0.00, send 0.00, recv 0.01, ring 0.00, delay 0.00)
#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {

Known ExtractBootstrap(const Extraction& x) {
  scan::Cursor c(x.body());
  if (!c.Literal("Bootstrap")) return Known::kNo;
  if (c.Literal(" timings")) return Known::kYes;
  c.SkipSpaces();
  if (!c.Literal(": Using ")) return Known::kYes;
  if (c.Char('[')) {
    c.Until("]");
    c.Char(']');
  }
  const std::string_view interface = c.Until(":");
  if (!c.Char(':')) return Known::kYes;
  const Endpoint end = SplitEndpoint(c.Word());
  x.Begin(EventKind::kBootstrapInterface)
      .Set(FieldId::kInterface, interface)
      .Set(FieldId::kAddress, end.host)
      .Set(FieldId::kPort, end.port);
  return Known::kYes;
}

}  // namespace ncclwhy

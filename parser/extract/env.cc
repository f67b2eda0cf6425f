// Versions and variables.
//   NCCL version 2.28.9+cuda13.0      cudaDriverVersion 13000      RCCL version : 2.22.3-HEAD:271856d
//   NCCL_IB_DISABLE set by environment to 0.      NCCL_SOCKET_IFNAME set to eth0
//   Comm config Blocking set to 1
#include "parser/extract/extract.h"
#include "parser/extract/heads.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

using scan::StartsWith;

constexpr std::string_view kDrivers[] = {"cudaDriverVersion ", "hipDriverVersion ", "HIP version", "ROCm version",
                                         "ROCr version"};
constexpr Heads kDriverHeads(kDrivers);
constexpr std::string_view kSaid[] = {"NCCL git version", "Librccl path", "Library path",
                                      "Comm config ",     "PARAM: ",      "Invalid value "};
constexpr Heads kSaidHeads(kSaid);

Known Version(const Extraction& x, std::string_view text) {
  const std::string_view word = scan::Cursor(scan::Trim(text)).Word();
  const size_t plus = word.find('+');
  EventWriter e = x.Begin(EventKind::kVersion);
  e.Set(FieldId::kVersion, word.substr(0, plus));
  if (plus != std::string_view::npos) {
    std::string_view cuda = word.substr(plus + 1);
    if (StartsWith(cuda, "cuda") || StartsWith(cuda, "hip")) cuda.remove_prefix(cuda[0] == 'c' ? 4 : 3);
    e.Set(FieldId::kCuda, cuda);
  }
  return Known::kYes;
}

// An echoed integer ends in a full stop; a text does not. A value never ends in one otherwise.
std::string_view WithoutStop(std::string_view value) {
  if (!value.empty() && value.back() == '.') value.remove_suffix(1);
  return value;
}

}  // namespace

Known ExtractEnv(const Extraction& x) {
  const std::string_view body = x.body();
  if (StartsWith(body, "NCCL version ")) return Version(x, body.substr(13));
  if (StartsWith(body, "RCCL version")) {
    scan::Cursor c(body.substr(12));
    c.SkipSpaces();
    c.Char(':');
    return Version(x, c.Rest());
  }
  if (kDriverHeads.Begin(body)) {
    const std::string_view value = body.substr(body.find_last_of(" :") + 1);
    x.Begin(EventKind::kDriverVersion).Set(FieldId::kVersion, value);
    return Known::kYes;
  }
  if (kSaidHeads.Begin(body)) return Known::kYes;
  // A name in capitals, then what was read.
  size_t n = 0;
  while (n < body.size() && (scan::IsUpper(body[n]) || scan::IsDigit(body[n]) || body[n] == '_')) ++n;
  if (n < 4 || n > 96) return Known::kNo;
  scan::Cursor c(body.substr(n));
  if (!c.Literal(" set by environment to ") && !c.Literal(" set to ") && !c.Literal(" set by ENV to "))
    return Known::kNo;
  x.Begin(EventKind::kEnvironment)
      .Set(FieldId::kVariable, body.substr(0, n))
      .Set(FieldId::kValue, WithoutStop(c.Rest()));
  return Known::kYes;
}

}  // namespace ncclwhy

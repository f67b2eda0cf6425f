// Lines of NCCL without a header (prefix.h): its versions, its plug-ins' first form, releases before 2.0.
#include "parser/prefix.h"
#include "parser/scan.h"

namespace ncclwhy {

using scan::Cursor;

// In front of all of these nothing tells whose line it is, not even NCCL's name: only whole beginnings are believed.
bool ParseHeaderless(std::string_view text, HeaderMatch* match) {
  // What any of the forms below begins with.
  if (text.empty()) return false;
  const char first = text[0];
  if (first != 'N' && first != 'R' && first != 'H' && first != 'L' && first != 'I' && first != 'W') return false;
  HeaderMatch found;
  static constexpr std::string_view kVersions[] = {"NCCL version ", "RCCL version", "HIP version",  "ROCm version",
                                                   "ROCr version",  "Librccl path", "Library path:"};
  for (std::string_view head : kVersions) {
    if (!scan::StartsWith(text, head)) continue;
    found.header.level = LogLevel::kVersion;
    *match = found;
    return true;
  }
  // INFO: Function: ofi_init Line: 686: NET/OFI Selected Provider is efa
  Cursor c(text);
  const bool info = c.Literal("INFO: Function: ");
  if (info || c.Literal("WARN: Function: ")) {
    found.header.level = info ? LogLevel::kInfo : LogLevel::kWarn;
    found.header.function = c.Word();
    if (!c.Literal(" Line: ") || !c.Uint32(&found.header.file_line) || !c.Literal(": ")) return false;
    found.body = static_cast<size_t>(c.position() - text.data());
    *match = found;
    return true;
  }
  // 1.x: `WARN src/core.cu:225 text`; INFO lines of 1.x have nothing to tell them by but these beginnings.
  if (c.Literal("WARN ")) {
    const std::string_view name = c.Until(": ");
    if (!scan::EndsWith(name, ".cu") && !scan::EndsWith(name, ".cc")) return false;
    found.header.file = name;
    if (!c.Char(':') || !c.Uint32(&found.header.file_line) || !c.Char(' ')) return false;
    found.header.level = LogLevel::kWarn;
  } else if (c.Literal("INFO ")) {
    // What 1.x prints at INFO. `INFO ` alone begins lines of every other logger.
    static constexpr std::string_view kOld[] = {"NCCL debug level set to", "NCCL using",       "rank ",
                                                "Global device memory",    "Cuda Host memory", "Asynchronous mode"};
    bool known = false;
    for (std::string_view head : kOld) known = known || scan::StartsWith(c.Rest(), head);
    if (!known) return false;
    found.header.level = LogLevel::kInfo;
  } else {
    return false;
  }
  found.body = static_cast<size_t>(c.position() - text.data());
  *match = found;
  return true;
}

}  // namespace ncclwhy

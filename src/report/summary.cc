// One line, for chats and dashboards:
//   failure: shm.too-small (93%) on rank 3 on gpu-a17: /dev/shm on gpu-a17 has no room for NCCL's segment.
#include <fmt/format.h>

#include "base/escape.h"
#include "report/phrases.h"
#include "report/renderer.h"

namespace ncclwhy {

std::string RenderSummary(const Report& report, const RenderOptions& options) {
  const Words& words = WordsOf(options.language);
  if (report.verdict != Verdict::kFailure || report.causes.empty()) {
    return EscapeTerminal(fmt::format("{}: {}", VerdictName(report.verdict), Headline(report, words))) + "\n";
  }
  const Cause& cause = report.causes.front();
  std::string line = fmt::format("{}: {} ({}%)", VerdictName(report.verdict), cause.id, Percent(cause.confidence));
  if (!cause.culprits.empty()) {
    const std::string name = CulpritName(Gathered(cause.culprits, words).front(), words);
    if (!name.empty()) line += ", " + name;
  }
  line += ": " + (cause.summary.empty() ? cause.title : cause.summary);
  return EscapeTerminal(line) + "\n";
}

}  // namespace ncclwhy

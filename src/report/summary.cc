// One line, for chats and dashboards:
//   failed, failure: shm.too-small (93%), rank 3 on gpu-a17: /dev/shm on gpu-a17 has no room for NCCL's segment.
// Its first two words are the outcome and the verdict by their names in the JSON, in any language.
#include <fmt/format.h>

#include "analyze/answer_names.h"
#include "base/escape.h"
#include "report/decision_words.h"
#include "report/gathered_culprits.h"
#include "report/phrases.h"
#include "report/renderer.h"

namespace ncclwhy {
namespace {

// What to do, and that there are more jobs.
std::string Tail(const Report& report, const Words& words) {
  std::string out;
  if (report.decision && report.decision->action != Action::kUndecided) {
    out += " " + Filled(words.label, words.decision) + ShortDecision(*report.decision, words) + ".";
  }
  if (!report.jobs.empty()) out += " " + Filled(words.label, words.jobs) + std::to_string(report.jobs.size()) + ".";
  return out;
}

}  // namespace

std::string RenderSummary(const Report& report, const RenderOptions& options) {
  const Words& words = WordsOf(options.language);
  const std::string head = fmt::format("{}, {}: ", OutcomeName(report.outcome), VerdictName(report.verdict));
  const Cause* named = NamedCause(report);
  if (named == nullptr) return EscapeTerminal(head + Headline(report, words) + Tail(report, words)) + "\n";
  const Cause& cause = *named;
  std::string line = head + fmt::format("{} ({}%)", cause.id, Percent(cause.confidence));
  if (!cause.culprits.empty()) {
    const std::string name = CulpritName(Gathered(cause.culprits, words).front(), words);
    if (!name.empty()) line += ", " + name;
  }
  line += ": " + (cause.summary.empty() ? cause.title : cause.summary) + Tail(report, words);
  return EscapeTerminal(line) + "\n";
}

}  // namespace ncclwhy

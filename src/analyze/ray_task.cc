#include "analyze/ray_task.h"

#include <algorithm>

#include "base/numbers.h"

namespace ncclwhy {
namespace {

constexpr uint32_t kStackLines = 120;

}  // namespace

RayTask RayTaskOf(const JobModel& model, const Finding& finding) {
  RayTask task;
  if (!finding.source.valid() || finding.line == 0) return task;
  const SourceFacts& facts = *model.sources[finding.source.value];
  auto at = std::upper_bound(facts.events.begin(), facts.events.end(), finding.line,
                             [](uint32_t line, const Event& e) { return line < e.line; });
  while (at != facts.events.begin()) {
    --at;
    if (at->line + kStackLines < finding.line) break;
    // The end of another stack stands between them.
    const bool other = at->kind == EventKind::kPythonException || at->kind == EventKind::kTorchError;
    if (other && at->line < finding.line) break;
    if (at->kind != EventKind::kFramework) continue;
    const std::string_view host = facts.Get(*at, FieldId::kHost);
    const auto pid = ParseInt<int64_t>(facts.Get(*at, FieldId::kPid));
    if (host.empty() || !pid) continue;
    task.host = host;
    task.pid = *pid;
    break;
  }
  return task;
}

}  // namespace ncclwhy

#include "analyze/explained_absence.h"

#include <map>

#include "base/numbers.h"

namespace ncclwhy {
namespace {

// Whether it is what its process said last: what others did meanwhile is no work of his.
bool IsLastWord(const JobModel& model, const Finding& f) {
  constexpr uint32_t kBehind = 3;
  if (!f.process.valid() || f.line == 0) return false;
  // The last word may have some frames of a stack behind it.
  const Process& p = model.processes[f.process.value];
  return p.last.source == f.source && p.last.line <= f.line + kBehind;
}

}  // namespace

void MarkExplainedAbsence(const JobModel& model, const KnowledgeBase& kb, std::vector<EvidenceItem>& items) {
  std::map<int32_t, EvidenceItem*> missed;
  // By the rank that a comparison has missed: one finding for each.
  for (EvidenceItem& i : items) {
    if (i.rule == nullptr || i.rule->query.empty() || i.finding.causes.empty()) continue;
    const auto rank = ParseInt<int32_t>(i.finding.Field("culprit_rank"));
    if (rank && kb.TraitsOf(i.finding.causes.front().cause).waits) missed.emplace(*rank, &i);
  }
  for (EvidenceItem& i : items) {
    const Finding& f = i.finding;
    // The rank said itself why it was not there: a root of its own, that no query made.
    const auto whose = missed.find(f.rank);
    if (whose == missed.end() || i.consequence || f.role != Role::kRoot || f.inferred || f.causes.empty()) continue;
    const CauseTraits& traits = kb.TraitsOf(f.causes.front().cause);
    const bool fault = !traits.waits && !traits.reasonless && traits.kind == CauseKind::kFault;
    if (!fault || (i.rule != nullptr && !i.rule->query.empty())) continue;
    // Where others went on it was taken for survived; its own last word shows that it was not.
    if (i.survived && !IsLastWord(model, f)) continue;
    i.survived = false;
    whose->second->consequence = true;
  }
}

}  // namespace ncclwhy

#include "analyze/before_work.h"

#include <algorithm>

namespace ncclwhy {

void MarkBeforeWork(const JobModel& model, const KnowledgeBase& kb, const OutcomeReading& outcome,
                    std::vector<EvidenceItem>& items) {
  if (!outcome.worked) return;
  for (EvidenceItem& item : items) {
    const Finding& f = item.finding;
    if (!f.source.valid() || f.causes.empty() || !model.sources[f.source.value]->pulses.empty()) continue;
    const bool before = std::all_of(f.causes.begin(), f.causes.end(),
                                    [&](const Weight& w) { return kb.TraitsOf(w.cause).before_work; });
    item.survived = item.survived || before;
  }
}

}  // namespace ncclwhy

#include "analyze/before_work.h"

#include <algorithm>

namespace ncclwhy {

void MarkBeforeWork(const JobModel& model, const KnowledgeBase& kb, const OutcomeReading& outcome,
                    std::vector<EvidenceItem>& items) {
  if (!outcome.worked) return;
  for (EvidenceItem& item : items) {
    const Finding& f = item.finding;
    if (!f.source.valid() || f.causes.empty() || !model.sources[f.source.value]->pulses.empty()) continue;
    const auto likeliest = std::max_element(f.causes.begin(), f.causes.end(),
                                            [](const Weight& a, const Weight& b) { return a.log_odds < b.log_odds; });
    item.survived = item.survived || kb.TraitsOf(likeliest->cause).before_work;
  }
}

}  // namespace ncclwhy

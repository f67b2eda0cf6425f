#include "analyze/explained_absence.h"

#include <map>
#include <string>

#include "analyze/only_host.h"
#include "base/numbers.h"

namespace ncclwhy {
namespace {

// Log-odds from which a line is a reason, and no guess.
constexpr double kReason = 2.5;

// Whether it is what its process said last: what others did meanwhile is no work of his.
bool IsLastWord(const JobModel& model, const Finding& f) {
  constexpr uint32_t kBehind = 3;
  if (!f.process.valid() || f.line == 0) return false;
  // The last word may have some frames of a stack behind it.
  const Process& p = model.processes[f.process.value];
  return p.last.source == f.source && p.last.line <= f.line + kBehind;
}

// What comparisons miss: one finding, or several, for each rank and host.
class Missed {
 public:
  Missed(const KnowledgeBase& kb, std::vector<EvidenceItem>& items) {
    for (EvidenceItem& i : items) {
      if (i.rule == nullptr || i.rule->query.empty() || i.finding.causes.empty()) continue;
      const CauseTraits& traits = kb.TraitsOf(i.finding.causes.front().cause);
      if (!traits.waits && !traits.reasonless) continue;
      if (const auto rank = ParseInt<int32_t>(i.finding.Field("culprit_rank"))) ranks_.emplace(*rank, &i);
      if (const std::string_view host = i.finding.Field("culprit_host"); !host.empty()) {
        hosts_.emplace(std::string(host), &i);
      }
    }
  }
  bool empty() const { return ranks_.empty() && hosts_.empty(); }
  // False: nobody misses them.
  bool ExplainRank(int32_t rank) { return Mark(ranks_.equal_range(rank)); }
  bool ExplainHost(const std::string& host) { return Mark(hosts_.equal_range(host)); }

 private:
  template <typename Range>
  static bool Mark(const Range& range) {
    for (auto it = range.first; it != range.second; ++it) it->second->consequence = true;
    return range.first != range.second;
  }

  std::multimap<int32_t, EvidenceItem*> ranks_;
  std::multimap<std::string, EvidenceItem*, std::less<>> hosts_;
};

}  // namespace

void MarkExplainedAbsence(const JobModel& model, const KnowledgeBase& kb, std::vector<EvidenceItem>& items) {
  Missed missed(kb, items);
  if (missed.empty()) return;
  for (EvidenceItem& i : items) {
    const Finding& f = i.finding;
    // The rank said itself why it was not there: a root of its own, that no query made.
    if (i.consequence || f.role != Role::kRoot || f.inferred || f.causes.empty()) continue;
    const Weight& weight = f.causes.front();
    const CauseTraits& traits = kb.TraitsOf(weight.cause);
    const bool reason =
        !traits.waits && !traits.reasonless && (traits.kind == CauseKind::kFault || traits.kind == CauseKind::kStop);
    if (!reason || (i.rule != nullptr && !i.rule->query.empty())) continue;
    // Where others went on it was taken for survived; its own last word shows that it was not.
    if (i.survived && !IsLastWord(model, f)) continue;
    if (f.rank >= 0) {
      if (missed.ExplainRank(f.rank)) i.survived = false;
    } else if (!i.survived && weight.log_odds >= kReason && i.rule != nullptr && i.rule->blame == Blame::kHost) {
      // What is said of a machine is said of all that ran there.
      const std::string host = HostOfFinding(model, f);
      if (!host.empty()) missed.ExplainHost(host);
    }
  }
}

}  // namespace ncclwhy

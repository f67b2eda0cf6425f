#include "rules/engine/last_resorts.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace ncclwhy {
namespace {

// How far from the end of its file a guess may stand: whoever quotes a failure ends with it, a long log goes on.
constexpr uint32_t kNearTheEnd = 60;

// No more than that the program of the line ended.
bool BareEnding(const Rule& rule, const KnowledgeBase& kb) {
  return rule.role == Role::kRoot && rule.sign.life == Life::kEnding && rule.causes.size() == 1 &&
         kb.TraitsOf(rule.causes[0].cause).reasonless;
}

// That all is well, or that it goes on. An end that went badly leaves open what broke; a launcher's report
// of it names the launcher, which did not break.
bool SpeaksAgainst(const Rule& rule) {
  if (rule.role == Role::kBenign || rule.role == Role::kWarning) return true;
  if (rule.sign.life == Life::kEnding && rule.role != Role::kSecondary) {
    return rule.sign.how == Ending::kClean || rule.sign.how == Ending::kStopped;
  }
  return rule.sign.life != Life::kNone;
}

}  // namespace

void DropLastResorts(const RuleList& rules, const KnowledgeBase& kb, const JobModel& model,
                     std::vector<Finding>* findings) {
  using Line = std::pair<uint32_t, uint32_t>;  // source, line
  // A log with lines of NCCL has rules enough: there a guess by words is more often wrong than right.
  bool known = std::any_of(model.sources.begin(), model.sources.end(),
                           [](const SourceFacts* facts) { return facts->counters.Get(Counter::kNccl) > 0; });
  std::set<Line> judged, ended;
  for (const Finding& f : *findings) {
    const Rule& rule = rules[f.rule.value];
    if (rule.last_resort) continue;
    //    RuntimeError: worker died          the ending, and what it died of in one line: a guess may say why
    if (BareEnding(rule, kb)) {
      ended.emplace(f.source.value, f.line);
      continue;
    }
    if (SpeaksAgainst(rule)) judged.emplace(f.source.value, f.line);
    if (f.role != Role::kRoot && f.role != Role::kSymptom) continue;
    known = known || std::any_of(f.causes.begin(), f.causes.end(), [](const Weight& w) { return w.log_odds > 0; });
  }
  std::erase_if(*findings, [&](const Finding& f) {
    if (!rules[f.rule.value].last_resort) return false;
    const Line place{f.source.value, f.line};
    // With an end in the log only a guess about the line of that end counts.
    const bool after_end = !ended.empty() && (f.role == Role::kSymptom || !ended.contains(place));
    if (known || after_end || judged.contains(place)) return true;
    return std::max(f.line, f.last_line) + kNearTheEnd < model.sources[f.source.value]->counters.Get(Counter::kLines);
  });
}

}  // namespace ncclwhy

#include "analyze/late_fault.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "job/silence.h"

namespace ncclwhy {
namespace {

constexpr double kWithTheLastStep = 90;
constexpr double kLongAfter = 300;

// Of the pulse of the whole job: the one that beat most often.
std::string_view LastStep(const JobModel& model) {
  std::string_view last;
  uint64_t most = 0;
  for (const SourceFacts* source : model.sources) {
    const PulseFacts* pulse = LastStampedPulse(*source);
    if (pulse == nullptr || pulse->beats.count <= most) continue;
    most = pulse->beats.count;
    last = source->Str(pulse->last_time);
  }
  return last;
}

// What the kernel says of a machine, or of a process that it killed, and which cause that speaks for.
bool IsOfKernel(const EvidenceItem& item) {
  return item.rule != nullptr && item.rule->family == "kernel" && !item.rule->causes.empty() &&
         item.finding.role != Role::kWarning && item.finding.role != Role::kBenign && item.finding.source.valid() &&
         !item.consequence && !item.survived;
}

// A kernel's log is of one host, also where it does not say of which.
bool SameHost(const Finding& a, const Finding& b) {
  return a.host == b.host && (!a.host.empty() || a.source.value == b.source.value);
}

}  // namespace

void MarkLateFaults(const JobModel& model, std::vector<EvidenceItem>& items) {
  const std::string_view step = LastStep(model);
  if (step.empty()) return;
  // Seconds behind the last step, negative in front of it.
  const auto behind = [&](const EvidenceItem& item) -> std::optional<double> {
    const Finding& f = item.finding;
    const std::string_view stamp = StampOf(model, {f.source, f.line, f.offset, f.text});
    if (stamp.empty()) return std::nullopt;
    const auto after = TimeBetween(step, stamp);
    const auto before = TimeBetween(stamp, step);
    if (before && (!after || *before < *after)) return -*before;
    return after;
  };
  std::vector<const EvidenceItem*> with;
  for (const EvidenceItem& item : items) {
    if (!IsOfKernel(item)) continue;
    if (const auto at = behind(item); at && std::abs(*at) <= kWithTheLastStep) with.push_back(&item);
  }
  if (with.empty()) return;
  for (EvidenceItem& item : items) {
    if (!IsOfKernel(item)) continue;
    const auto at = behind(item);
    if (!at || *at < kLongAfter) continue;
    item.consequence = std::any_of(with.begin(), with.end(),
                                   [&](const EvidenceItem* first) { return SameHost(first->finding, item.finding); });
  }
}

}  // namespace ncclwhy

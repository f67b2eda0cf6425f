#include "analyze/other_day.h"

#include <optional>
#include <string_view>

#include "job/silence.h"
#include "parser/clock.h"

namespace ncclwhy {
namespace {

// Zones are fourteen hours apart at most, on either side of midnight.
constexpr double kOtherDay = 15 * 3600;

// The first stamp of the pulse that beat most often.
std::string_view FirstStep(const JobModel& model) {
  std::string_view first;
  uint64_t most = 0;
  for (const SourceFacts* source : model.sources) {
    for (const PulseFacts& pulse : source->pulses) {
      if (!pulse.first_time.valid() || pulse.beats.count <= most) continue;
      most = pulse.beats.count;
      first = source->Str(pulse.first_time);
    }
  }
  return first;
}

}  // namespace

void MarkOtherDays(const JobModel& model, std::vector<EvidenceItem>& items) {
  const std::string_view step = FirstStep(model);
  const auto began = InstantOf(step);
  if (!began) return;
  for (EvidenceItem& item : items) {
    const Finding& f = item.finding;
    if (item.rule == nullptr || item.rule->family != "kernel" || !f.source.valid() || f.line == 0) continue;
    const auto said = InstantOf(StampOf(model, {f.source, f.line, f.offset, f.text}));
    // Both with a date, or neither says anything.
    if (!said || said->scale != began->scale || began->scale == ClockScale::kDay) continue;
    item.survived = item.survived || began->seconds - said->seconds > kOtherDay;
  }
}

}  // namespace ncclwhy

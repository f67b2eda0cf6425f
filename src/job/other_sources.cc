#include "job/other_sources.h"

#include <algorithm>

#include "job/silence.h"

namespace ncclwhy {
namespace {

// Ranks that have lost one do not go on for so long, and clocks of hosts do not stand so far apart.
constexpr double kMoreBeats = 8;
constexpr double kMoreSeconds = 60;
// What somebody else's end brings about comes that soon behind it, and not in the same second.
constexpr double kSoon = 1800;
constexpr double kSure = 1;

}  // namespace

bool OtherSources::WentOn(const LifeSign& sign, const std::vector<uint32_t>& finish) const {
  if (model_.sources.size() < 2 || !sign.source.valid()) return false;
  const std::string_view ended = TimeOf(sign);
  if (ended.empty()) return false;
  for (uint32_t s = 0; s < model_.sources.size(); ++s) {
    if (s == sign.source.value || finish[s] == 0) continue;
    const SourceFacts& facts = *model_.sources[s];
    for (const PulseFacts& p : facts.pulses) {
      if (!p.first_time.valid() || !p.last_time.valid() || p.beats.last > finish[s]) continue;
      const std::string_view first = facts.Str(p.first_time), last = facts.Str(p.last_time);
      const auto went_on = TimeBetween(ended, last);
      const auto took = TimeBetween(first, last);
      if (!went_on || !took || *went_on < kMoreSeconds || *took <= 0) continue;
      const double share = std::min(1.0, *went_on / *took);
      if (share * static_cast<double>(p.beats.count) >= kMoreBeats) return true;
    }
  }
  return false;
}

bool OtherSources::JustBefore(const LifeSign& first, const LifeSign& then) const {
  if (!first.source.valid() || !then.source.valid() || first.source == then.source) return false;
  const std::string_view from = TimeOf(first), to = TimeOf(then);
  if (from.empty() || to.empty()) return false;
  const auto between = TimeBetween(from, to);
  return between && *between > kSure && *between < kSoon;
}

std::string_view OtherSources::TimeOf(const LifeSign& sign) const {
  if (!sign.time.empty()) return sign.time;
  const std::string_view own = StampOf(model_, {sign.source, sign.line, sign.offset, sign.text});
  if (!own.empty()) return own;
  const SourceFacts& facts = *model_.sources[sign.source.value];
  const PulseFacts* latest = nullptr;
  for (const PulseFacts& p : facts.pulses) {
    const bool before = p.last_time.valid() && p.beats.last < sign.line;
    if (before && (latest == nullptr || latest->beats.last < p.beats.last)) latest = &p;
  }
  return latest == nullptr ? std::string_view() : facts.Str(latest->last_time);
}

}  // namespace ncclwhy

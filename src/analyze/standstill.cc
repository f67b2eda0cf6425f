#include "analyze/standstill.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "job/silence.h"
#include "parser/clock.h"

namespace ncclwhy {
namespace {

// How many steps make a standstill, and the least that is one.
constexpr double kManySteps = 20;
constexpr double kLeastSeconds = 5;

}  // namespace

std::optional<double> StoodStill(const JobModel& model, const OutcomeReading& outcome) {
  const bool badly =
      outcome.outcome == Outcome::kFailed || outcome.outcome == Outcome::kHung || outcome.outcome == Outcome::kStopped;
  if (!badly || outcome.work_done) return std::nullopt;
  for (const OutcomeLine& line : outcome.evidence) {
    if (line.shows == Shows::kLastBeat || !line.place.source.valid()) continue;
    const SourceFacts& facts = *model.sources[line.place.source.value];
    const PulseFacts* pulse = LastStampedPulse(facts);
    if (pulse == nullptr || pulse->last.line >= line.place.line) continue;
    if (SaysMoreBetween(facts, pulse->last.line, line.place.line)) return std::nullopt;
    const auto still = TimeBetween(facts.Str(pulse->last_time), StampOf(model, line.place));
    if (!still) continue;
    const auto took = SecondsBetween(facts.Str(pulse->first_time), facts.Str(pulse->last_time));
    const double step = took ? *took / static_cast<double>(pulse->beats.count - 1) : 0;
    return *still >= std::max(kManySteps * step, kLeastSeconds) ? still : std::nullopt;
  }
  return std::nullopt;
}

bool CoversAMinute(const JobModel& model) {
  constexpr double kMinute = 60;
  return std::any_of(model.sources.begin(), model.sources.end(), [](const SourceFacts* facts) {
    const auto stamped = [](const Event& e) { return e.time.valid(); };
    const auto first = std::find_if(facts->events.begin(), facts->events.end(), stamped);
    if (first == facts->events.end()) return false;
    const auto last = std::find_if(facts->events.rbegin(), facts->events.rend(), stamped);
    const auto seconds = SecondsBetween(facts->Str(first->time), facts->Str(last->time));
    return seconds && *seconds >= kMinute;
  });
}

std::string DurationInWords(double seconds, bool chinese) {
  struct Unit {
    int64_t seconds;
    const char* en;
    const char* zh;
  };
  constexpr Unit kUnits[] = {{86400, "d", "天"}, {3600, "h", "小时"}, {60, "min", "分"}, {1, "s", "秒"}};
  constexpr double kExact = 10;
  if (seconds >= 1 && seconds < kExact) {
    return fmt::format("{:g} {}", std::round(seconds * 10) / 10, chinese ? "秒" : "s");
  }
  auto left = static_cast<int64_t>(seconds);
  for (size_t i = 0; i < std::size(kUnits); ++i) {
    if (left < kUnits[i].seconds) continue;
    const auto say = [&](int64_t n, const Unit& u) { return fmt::format("{} {}", n, chinese ? u.zh : u.en); };
    const std::string most = say(left / kUnits[i].seconds, kUnits[i]);
    left %= kUnits[i].seconds;
    if (i + 1 == std::size(kUnits) || left < kUnits[i + 1].seconds) return most;
    return most + " " + say(left / kUnits[i + 1].seconds, kUnits[i + 1]);
  }
  return {};
}

}  // namespace ncclwhy

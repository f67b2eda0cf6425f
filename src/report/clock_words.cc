#include "report/clock_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/phrases.h"

namespace ncclwhy {
namespace {

constexpr size_t kClocks = 4;
constexpr double kMinute = 60;
constexpr double kHour = 3600;
constexpr double kZone = 900;  // zones differ by quarters of an hour

std::array<std::string_view, 3> UnitsOf(const Words& words) {
  std::array<std::string_view, 3> units;
  std::string_view left = words.clock_units;
  for (std::string_view& unit : units) {
    unit = left.substr(0, left.find('|'));
    left.remove_prefix(std::min(left.size(), unit.size() + 1));
  }
  return units;
}

// No more digits than the error allows: 37.2 s, 2 h 5.1 s.
std::string SecondsInWords(double seconds, double error, const Words& words) {
  const int digits = error >= 10 ? 0 : error >= 0.1 ? 1 : error >= 0.01 ? 2 : 3;
  const auto [second, minute, hour] = UnitsOf(words);
  const double unit = std::pow(10, digits);
  double left = std::round(seconds * unit) / unit;
  std::string out;
  if (left >= 2 * kMinute) {
    for (const auto& [length, name] : {std::pair(kHour, hour), std::pair(kMinute, minute)}) {
      const double count = std::floor(left / length);
      if (count > 0) out += fmt::format("{:.0f} {} ", count, name);
      left -= count * length;
    }
  }
  if (left * unit < 0.5 && !out.empty()) {
    out.pop_back();
    return out;
  }
  return out + fmt::format("{:.{}f} {}", left, digits, second);
}

bool IsZone(double ahead, double error) {
  const double quarters = std::round(ahead / kZone);
  return std::abs(quarters) >= 2 && error < kMinute && std::abs(ahead - quarters * kZone) <= error;
}

}  // namespace

std::string ClockSentence(const HostOffset& clock, const Words& words) {
  if (!clock.ahead) return fmt::format(fmt::runtime(words.clock_unknown), clock.host, clock.reference);
  const std::string_view frame = *clock.ahead > 0 ? words.clock_ahead : words.clock_behind;
  std::string out = fmt::format(
      fmt::runtime(frame), clock.host, clock.reference, SecondsInWords(std::abs(*clock.ahead), clock.error, words),
      SecondsInWords(clock.error, clock.error, words), Counted(words.clock_events, clock.events));
  if (IsZone(*clock.ahead, clock.error)) out += words.clock_zone;
  if (clock.steps > 0) out += words.clock_moved;
  return out;
}

std::vector<std::string> ClockNotes(const Report& report, const Words& words, TellsClock which) {
  std::vector<std::string> notes;
  uint64_t more = 0;
  for (const HostOffset& clock : report.clocks) {
    if (which == TellsClock::kDrawn ? clock.steps == 0 : !clock.misleads) continue;
    notes.size() < kClocks ? notes.push_back(ClockSentence(clock, words)) : static_cast<void>(++more);
  }
  if (more > 0) notes.push_back(Counted(words.more_items, more));
  return notes;
}

std::string MovedBy(const TimelineStep& step, const Words& words) {
  if (step.moved == 0) return {};
  return fmt::format(" ({:+.1f} {})", step.moved, UnitsOf(words)[0]);
}

}  // namespace ncclwhy

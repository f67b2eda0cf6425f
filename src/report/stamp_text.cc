#include "report/stamp_text.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "analyze/standstill.h"
#include "parser/clock.h"
#include "report/phrases.h"

namespace ncclwhy {

std::string StampText(std::string_view time) {
  const auto at = InstantOf(time);
  if (!at || at->scale == ClockScale::kBoot) return std::string(time);
  constexpr double kDay = 86400;
  // What the stamp itself tells of a second, but no more than a thousandth.
  const int digits = at->grain >= 1 ? 0 : at->grain > 0.05 ? 1 : at->grain > 0.005 ? 2 : 3;
  const double unit = std::pow(10, digits);
  const double days = std::floor(at->seconds / kDay);
  const double ticks = std::floor((at->seconds - days * kDay) * unit + 0.01);
  const auto seconds = static_cast<int64_t>(ticks / unit);
  std::string clock = fmt::format("{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
  if (at->grain <= 1) clock += fmt::format(":{:02}", seconds % 60);
  if (digits > 0)
    clock += fmt::format(".{:0{}}", static_cast<int64_t>(ticks - static_cast<double>(seconds) * unit), digits);
  if (at->scale == ClockScale::kDay) return clock;
  using namespace std::chrono;  // NOLINT
  const year_month_day date{sys_days(std::chrono::days(static_cast<int64_t>(days)))};
  const std::string month =
      fmt::format("{:02}-{:02}", static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  // Syslog prints no year.
  if (at->scale == ClockScale::kYear) return month + " " + clock;
  return fmt::format("{:04}-{} {}", static_cast<int>(date.year()), month, clock);
}

// The last word where it is a time of the day: `11-22 11:10:45` of vLLM's logger is no stamp that could be compared.
std::string ClockText(std::string_view time) {
  const std::string text = StampText(time);
  const std::string clock = text.substr(text.rfind(' ') + 1);
  return clock.find(':') == std::string::npos ? text : clock;
}

std::string DayText(std::string_view time) {
  const std::string text = StampText(time), clock = ClockText(time);
  return text.size() > clock.size() ? text.substr(0, text.size() - clock.size() - 1) : std::string();
}

std::string SpanText(const JobSpan& span, const Words& words) {
  std::string out = StampText(span.from);
  if (span.seconds <= 0) return out;
  const bool same_day = DayText(span.from) == DayText(span.to);
  out += " \xE2\x80\x93 " + (same_day ? ClockText(span.to) : StampText(span.to));  // –
  const std::string took = DurationInWords(span.seconds, words.code != "en");
  return took.empty() ? out : out + fmt::format(" ({})", Filled(words.took, took));
}

}  // namespace ncclwhy

#include "job/clock.h"

#include <array>
#include <chrono>

#include "base/numbers.h"
#include "parser/timestamp.h"

namespace ncclwhy {
namespace {

constexpr double kDay = 86400;

// The numbers of a stamp in their order; a month's name is a number too.
struct Parts {
  std::array<double, 8> numbers{};
  size_t count = 0;
  int month = 0;  // by name
};

Parts PartsOf(std::string_view text) {
  constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  Parts parts;
  for (size_t i = 0; i < text.size() && parts.count < parts.numbers.size();) {
    for (size_t m = 0; m < std::size(kMonths); ++m) {
      if (text.substr(i, 3) == kMonths[m]) parts.month = static_cast<int>(m) + 1;
    }
    size_t end = i;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    if (end == i) {
      ++i;
      continue;
    }
    parts.numbers[parts.count++] = static_cast<double>(ParseInt<int64_t>(text.substr(i, end - i)).value_or(0));
    i = end;
  }
  return parts;
}

// `.123` or `,123` behind the last colon.
double FractionOf(std::string_view text) {
  const size_t colon = text.rfind(':');
  const size_t mark = text.find_first_of(".,", colon == std::string_view::npos ? 0 : colon);
  if (mark == std::string_view::npos) return 0;
  double value = 0;
  double place = 0.1;
  for (size_t i = mark + 1; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i, place /= 10) {
    value += place * (text[i] - '0');
  }
  return value;
}

double Days(double year, double month, double day) {
  using namespace std::chrono;  // NOLINT
  const auto date = std::chrono::year(static_cast<int>(year)) / static_cast<int>(month) / static_cast<int>(day);
  return date.ok() ? static_cast<double>(sys_days(date).time_since_epoch().count()) : 0;
}

}  // namespace

std::optional<double> SecondsOf(std::string_view time) {
  while (!time.empty() && (time.front() == '[' || time.front() == '(' || time.front() == ' ')) time.remove_prefix(1);
  TimeForm form = TimeForm::kNone;
  const size_t length = TimestampLength(time, &form);
  if (length == 0) return std::nullopt;
  time = time.substr(0, length);
  const Parts p = PartsOf(time);
  const auto& n = p.numbers;
  const auto clock = [&](size_t at) { return n[at] * 3600 + n[at + 1] * 60 + n[at + 2] + FractionOf(time); };
  switch (form) {
    case TimeForm::kDate:
      if (p.count < 5) return std::nullopt;
      return Days(n[0], n[1], n[2]) * kDay + (p.count == 5 ? n[3] * 3600 + n[4] * 60 : clock(3));
    case TimeForm::kClock:
      return p.count < 3 ? std::nullopt : std::optional(clock(0));
    case TimeForm::kSyslog:
    case TimeForm::kLong:
      if (p.count < 4) return std::nullopt;
      return Days(form == TimeForm::kLong && p.count > 4 ? n[4] : 2000, p.month, n[0]) * kDay + clock(1);
    case TimeForm::kEpoch: {
      constexpr double kMillisecondsBegin = 1e11;  // in seconds that is the year 5138
      return n[0] >= kMillisecondsBegin ? n[0] / 1000 : n[0];
    }
    case TimeForm::kBootSeconds:
      return n[0] + FractionOf(time);
    case TimeForm::kNone:
      break;
  }
  return std::nullopt;
}

std::optional<double> SecondsBetween(std::string_view first, std::string_view last) {
  const auto from = SecondsOf(first);
  const auto to = SecondsOf(last);
  if (!from || !to) return std::nullopt;
  double between = *to - *from;
  if (between < 0 && *from < kDay) between += kDay;  // no date, and midnight between them
  return between < 0 ? std::nullopt : std::optional(between);
}

}  // namespace ncclwhy

#include "parser/clock.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <tuple>
#include <utility>

#include "base/numbers.h"
#include "base/text.h"
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

// 2025-03-01 12:00:00 → 2025 3 1 12 0 0; Mar  1 12:00:00 → 1 12 0 0 and the month 3. A number too long is 0.
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

struct SecondsFraction {
  double value = 0;
  double grain = 1;  // of its last digit
};

// `.123` or `,123` behind the seconds, in front of a zone: 12:00:00.123+08:00
SecondsFraction FractionOf(std::string_view text) {
  SecondsFraction out;
  // Behind the clock's first colon: a date may have points, `2025.03.01`.
  const size_t mark = text.find_first_of(".,", text.find(':') == std::string_view::npos ? 0 : text.find(':'));
  for (size_t i = mark; mark != std::string_view::npos && i + 1 < text.size(); ++i) {
    if (text[i + 1] < '0' || text[i + 1] > '9') break;
    out.grain /= 10;
    out.value += out.grain * (text[i + 1] - '0');
  }
  return out;
}

// Since 1970, in the calendar of today; 0 for a date that is none, such as the 30th of February.
double Days(double year, double month, double day) {
  using namespace std::chrono;  // NOLINT
  const auto date = std::chrono::year(static_cast<int>(year)) / static_cast<int>(month) / static_cast<int>(day);
  return date.ok() ? static_cast<double>(sys_days(date).time_since_epoch().count()) : 0;
}

// Further than that from the beginning of a line no stamp is looked for.
constexpr size_t kLookColumns = 160;

}  // namespace

bool IsWholeSeconds(std::string_view time) {
  constexpr size_t kDigits = 10;  // those that begin with a one: from 2001 to 2033
  return time.size() == kDigits && time[0] == '1' && std::all_of(time.begin(), time.end(), IsDigit);
}

std::optional<Instant> InstantOf(std::string_view time) {
  // What is given may have the bracket of NCCL's stamp in front.
  while (!time.empty() && (time.front() == '[' || time.front() == '(' || time.front() == ' ')) time.remove_prefix(1);
  TimeForm form = TimeForm::kNone;
  const size_t length = TimestampLength(time, &form);
  if (length == 0 && IsWholeSeconds(time)) return Instant{static_cast<double>(ParseInt<int64_t>(time).value_or(0)), 1};
  if (length == 0) return std::nullopt;
  time = time.substr(0, length);
  const Parts p = PartsOf(time);
  const auto& n = p.numbers;
  const SecondsFraction fraction = FractionOf(time);
  const auto clock = [&](size_t at) { return n[at] * 3600 + n[at + 1] * 60 + n[at + 2] + fraction.value; };
  switch (form) {
    case TimeForm::kDate: {
      if (p.count < 5) return std::nullopt;
      const double day = Days(n[0], n[1], n[2]) * kDay;
      // Without seconds it is known to the minute.
      const size_t seconds = time[10] == ',' ? 17 : 16;  // 2025-02-18 12:54 has none
      if (time.size() <= seconds || time[seconds] != ':') return Instant{day + n[3] * 3600 + n[4] * 60, 60};
      return Instant{day + clock(3), fraction.grain};
    }
    case TimeForm::kTurnedDate: {
      if (p.count < 6) return std::nullopt;
      constexpr double kCentury = 2000;
      constexpr double kMonths = 12;
      double year = n[2], month = n[0], day = n[1];
      // 25/03/01 begins with its year; 01.03.2025 with the day, and 31/03/2025 cannot begin with a month.
      if (year < 100)
        std::tie(year, month, day) = std::tuple(kCentury + n[0], n[1], n[2]);
      else if (time[2] == '.' || month > kMonths)
        std::swap(month, day);
      return Instant{Days(year, month, day) * kDay + clock(3), fraction.grain};
    }
    case TimeForm::kClock:
      if (p.count < 3) return std::nullopt;
      return Instant{clock(0), fraction.grain, ClockScale::kDay};
    case TimeForm::kSyslog:
    case TimeForm::kLong: {
      if (p.count < 4) return std::nullopt;
      const bool year = form == TimeForm::kLong && p.count > 4;
      // Syslog prints no year. 2000 is a leap year: the 29th of February exists in it.
      return Instant{Days(year ? n[4] : 2000, p.month, n[0]) * kDay + clock(1), fraction.grain,
                     year ? ClockScale::kDate : ClockScale::kYear};
    }
    case TimeForm::kEpoch: {
      constexpr double kMillisecondsBegin = 1e11;  // in seconds that is the year 5138
      if (n[0] >= kMillisecondsBegin) return Instant{n[0] / 1000, 0.001};
      return Instant{n[0] + fraction.value, fraction.grain};
    }
    case TimeForm::kBootSeconds:
      return Instant{n[0] + fraction.value, fraction.grain, ClockScale::kBoot};
    case TimeForm::kNone:
      break;
  }
  return std::nullopt;
}

std::optional<double> SecondsOf(std::string_view time) {
  const auto instant = InstantOf(time);
  return instant ? std::optional(instant->seconds) : std::nullopt;
}

std::optional<double> SecondsBetween(std::string_view first, std::string_view last) {
  const auto from = SecondsOf(first);
  const auto to = SecondsOf(last);
  if (!from || !to) return std::nullopt;
  double between = *to - *from;
  if (between < 0 && *from < kDay) between += kDay;  // no date, and midnight between them
  // A day more at most: a job whose clock has no date and that runs for two days cannot be told from one of hours.
  return between < 0 ? std::nullopt : std::optional(between);
}

namespace {

constexpr size_t kWordsBeforeClock = 2;

size_t WordsIn(std::string_view text) {
  size_t words = 0;
  for (size_t i = 0; i < text.size(); ++i) words += text[i] != ' ' && (i == 0 || text[i - 1] == ' ') ? 1 : 0;
  return words;
}

}  // namespace

std::string_view StampIn(std::string_view text) {
  for (size_t at = 0; at < std::min(text.size(), kLookColumns); ++at) {
    if (!IsDigit(text[at])) continue;
    if (at > 0 && text[at - 1] != ' ' && text[at - 1] != '[' && text[at - 1] != '(') continue;
    TimeForm form = TimeForm::kNone;
    const size_t length = TimestampLength(text.substr(at), &form);
    if (length == 0 || (form != TimeForm::kDate && form != TimeForm::kTurnedDate && form != TimeForm::kClock)) continue;
    // "1814 Tl+  do_signal_stop  04:20:58 python -u train.py" of ps: how long, and no time of the day.
    if (form == TimeForm::kClock && WordsIn(text.substr(0, at)) > kWordsBeforeClock) continue;
    return text.substr(at, length);
  }
  return {};
}

}  // namespace ncclwhy

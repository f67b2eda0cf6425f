// Clock: what the time stamps of a log say, as far as they are understood (parser/timestamp.h knows their forms).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ncclwhy {

// What the seconds of a stamp count from. Only those of one scale can be compared.
enum class ClockScale : uint8_t {
  kDate,  // 2025-03-01 12:00:00, Sat Mar  1 12:00:00 2025, 1712345678123
  kYear,  // Mar  1 12:00:00
  kDay,   // 12:00:00
  kBoot,  // 131453.740743
};

struct Instant {
  double seconds = 0;
  double grain = 1;  // stamps are cut off: "10:11:12" may be any moment of that second
  ClockScale scale = ClockScale::kDate;
};

// Seconds since 1970 without a fraction: a stamp only where nothing stands beside it, "ts": 1795345798.
bool IsWholeSeconds(std::string_view time);
// Whether a stamp counts from 1970, in no time zone: 1795345798.551. What is written as a date is mostly a local one.
inline bool IsEpoch(std::string_view stamp) {
  return !stamp.empty() && stamp[0] == '1' && stamp.find_first_of(":-/") == std::string_view::npos &&
         stamp.find_first_not_of("0123456789") >= 10;
}

// Seconds that a time stamp stands for. Those of one log are comparable: all have the same form. A stamp without a date
// counts from midnight, one without a year from a year of 366 days; time zones are left out, as the hosts of a job
// rarely differ in theirs. `time` may have a bracket in front. Nothing where it is of no known form.
std::optional<Instant> InstantOf(std::string_view time);
std::optional<double> SecondsOf(std::string_view time);

// The date or clock in a line, wherever it stands in its first columns; empty when there is none.
//   W1126 07:19:17.449000 10932 api.py:739] …        slurmstepd: error: *** JOB 54 CANCELLED AT 2026-11-22T11:10:58 ***
std::string_view StampIn(std::string_view text);

// From one stamp to a later one of the same log, in seconds; nothing when they do not tell, or run backwards. Clocks
// without a date that run backwards have passed midnight, once.
std::optional<double> SecondsBetween(std::string_view first, std::string_view last);

}  // namespace ncclwhy

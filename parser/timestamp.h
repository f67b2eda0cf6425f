// Time stamps that programs, launchers and collectors put in front of a line.
#pragma once

#include <cstddef>
#include <string_view>

namespace ncclwhy {

// How a time is written, which says what it lacks: kClock has no day, kSyslog no year.
enum class TimeForm {
  kNone,
  kDate,        // 2025-03-01 12:00:00,123  2025-03-01T12:00:00.123456789Z  2025-02-18 12:54  2025/03/01 12:00:00
  kTurnedDate,  // 03/01/2025 12:00:00  01.03.2025 12:00:00,123  25/03/01 12:00:00
  kClock,       // 12:00:00.123
  kSyslog,      // Mar  1 12:00:00
  kLong,        // Sat Mar  1 12:00:00 2025
  kEpoch,       // 1712345678123
  kBootSeconds  // 131453.740743
};

// Length of the time stamp that `text` begins with, without the blank behind it; 0 for none. `form` may be null. What
// the time is, nobody asks here: clocks are read from the text when a report needs them.
size_t TimestampLength(std::string_view text, TimeForm* form);

}  // namespace ncclwhy

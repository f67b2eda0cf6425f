// Clock: what the time stamps of a log say, as far as they are understood (parser/timestamp.h knows their forms).
#pragma once

#include <optional>
#include <string_view>

namespace ncclwhy {

// Seconds that a time stamp stands for. Those of one log are comparable: all have the same form. A stamp without a
// date counts from midnight, one without a year from a year of 366 days; time zones are left out.
std::optional<double> SecondsOf(std::string_view time);

// From one stamp to a later one of the same log, in seconds; nothing when they do not tell, or run backwards.
std::optional<double> SecondsBetween(std::string_view first, std::string_view last);

}  // namespace ncclwhy

// A time as the clock on the wall shows it.
#pragma once

#include <ctime>
#include <string>

namespace ncclwhy {

// In the zone of the environment (TZ); what users compare with their watches.
// `format` as of strftime.
std::string LocalTime(std::time_t time, const char* format);

}  // namespace ncclwhy

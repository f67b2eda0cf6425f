// Time stamps of any log in one form.
#pragma once

#include <string>
#include <string_view>

#include "ncclwhy/report.h"
#include "report/words.h"

namespace ncclwhy {

// As far as a stamp tells day and year: "2026-11-22 11:09:13.887" for 2026-11-22T11:09:13,887, 1795345753.887 and, to
// the second, Sun Nov 22 11:09:13 2026. What is not understood stays as it is.
std::string StampText(std::string_view time);
// Its time of the day, and its day; the day is empty where the stamp has none.
std::string ClockText(std::string_view time);
std::string DayText(std::string_view time);

// "2026-11-22 11:08:59 – 11:09:16 (took 17 s)"
std::string SpanText(const JobSpan& span, const Words& words);

}  // namespace ncclwhy

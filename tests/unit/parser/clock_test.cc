#include "parser/clock.h"

#include <cmath>

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("the stamps of a log tell how long it took", "[clock]") {
  const auto between = [](std::string_view a, std::string_view b) {
    return std::lround(SecondsBetween(a, b).value_or(-1) * 1000);  // milliseconds
  };
  CHECK(between("2026-11-22 11:09:57,078", "2026-11-22 14:21:57,078") == 11520000);
  CHECK(between("2025-12-31T23:59:59.5", "2026-01-01T00:00:01") == 1500);
  CHECK(between("23:59:50", "00:00:10") == 20000);  // midnight between them
  CHECK(between("Mar  1 12:00:00", "Mar  2 12:00:00") == 86400000);
  CHECK(between("Sat Mar  1 12:00:00 2025", "Sat Mar  1 13:00:00 2025") == 3600000);
  CHECK(between("1712345678123", "1712345679123") == 1000);
}

TEST_CASE("a stamp is as fine as its last digit, and of one scale", "[clock]") {
  const auto grain = [](std::string_view text) { return std::lround(InstantOf(text).value().grain * 1000); };
  CHECK(grain("2026-11-22 11:09:57") == 1000);
  CHECK(grain("2026-11-22 11:09") == 60000);
  CHECK(grain("2026-11-22T11:09:57.123+08:00") == 1);
  CHECK(grain("1712345678123") == 1);
  CHECK(std::lround(SecondsBetween("2026-11-22T11:09:57.100+08:00", "2026-11-22T11:09:57.600+08:00").value() * 1000) ==
        500);
  CHECK(InstantOf("11:09:57").value().scale == ClockScale::kDay);
  CHECK(InstantOf("Mar  1 12:00:00").value().scale == ClockScale::kYear);
  // Airflow's, with a comma behind the date.
  CHECK(InstantOf("[2025-04-11, 02:10:33 UTC]").value().seconds == InstantOf("2025-04-11 02:10:33").value().seconds);
  CHECK(InstantOf("[2025-04-11, 02:10:33 UTC]").value().grain == InstantOf("2025-04-11 02:10:33").value().grain);
  CHECK(InstantOf("Sat Mar  1 12:00:00 2025").value().scale == ClockScale::kDate);
}

TEST_CASE("seconds since 1970 are a stamp, with a fraction or by themselves", "[clock]") {
  CHECK(std::lround(SecondsOf("1795345798.551").value() * 1000) == 1795345798551);
  CHECK(SecondsOf("1795345798") == 1795345798.0);
  CHECK_FALSE(SecondsOf("179534579").has_value());
  CHECK_FALSE(SecondsOf("1795345798 steps").has_value());
  CHECK(IsEpoch("1795345798.551"));
  CHECK(IsEpoch("1712345678123"));
  CHECK_FALSE(IsEpoch("11:09:57"));
  CHECK_FALSE(IsEpoch("131453.740743"));
  CHECK_FALSE(IsEpoch("2026-11-22 11:09:57"));
}

TEST_CASE("what is no stamp, or runs backwards, tells nothing", "[clock]") {
  CHECK_FALSE(SecondsOf("step 12").has_value());
  CHECK_FALSE(SecondsOf("").has_value());
  CHECK_FALSE(SecondsBetween("2026-11-22 11:09:57", "2026-11-21 11:09:57").has_value());
  CHECK_FALSE(SecondsBetween("2026-11-22 11:09:57", "loss 3").has_value());
}

}  // namespace
}  // namespace ncclwhy

#include "base/version_range.h"

#include <string>
#include <vector>

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("versions and their ranges", "[base]") {
  struct Case {
    std::string text;
    bool ok;
    int32_t first, last;
  };
  const std::vector<Case> cases = {
      {"2.4..2.21", true, 20400, 22199},
      {"..2.18.1", true, 0, 21801},
      {"2.22..", true, 22200, INT32_MAX},
      {"2.19.3", true, 21903, 21903},
      {"2.19", true, 21900, 21999},
      {"..2.21", true, 0, 22199},
      {"2", false, 0, 0},
      {"..", false, 0, 0},
      {"2.21..2.4", false, 0, 0},
      {"2.4 .. 2.5", false, 0, 0},
      {"2.4..2.5x", false, 0, 0},
      {"", false, 0, 0},
      {"2.4.", false, 0, 0},
      {"2.4...2.5", false, 0, 0},
      {"2.1.2.3", false, 0, 0},
  };
  for (const Case& c : cases) {
    INFO(c.text);
    const auto range = ParseVersionRange(c.text);
    CHECK(range.has_value() == c.ok);
    if (!c.ok || !range) continue;
    CHECK(range->first == c.first);
    CHECK(range->last == c.last);
  }
}

TEST_CASE("an end without its third number takes in all releases of that number", "[base]") {
  const auto range = ParseVersionRange("..2.21");
  REQUIRE(range.has_value());
  CHECK(range->Contains(VersionCode("2.21.0")));
  CHECK(range->Contains(VersionCode("2.21.5+cuda12.4")));
  CHECK_FALSE(range->Contains(VersionCode("2.22.3")));
  CHECK_FALSE(range->Contains(0));  // not known
  CHECK(VersionRange().Contains(0));
}

TEST_CASE("version codes", "[base]") {
  CHECK(VersionCode("2.18.3+cuda12.2") == 21803);
  CHECK(VersionCode("2.28") == 22800);
  CHECK(VersionCode("cuda") == 0);
  CHECK(VersionCode("2") == 0);
}

}  // namespace
}  // namespace ncclwhy

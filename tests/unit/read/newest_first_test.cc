#include "read/newest_first.h"

#include "catch.h"

namespace ncclwhy {
namespace {

constexpr const char* kExport =
    "2025-03-02T22:51:01.4Z done\n"
    "2025-03-02T22:50:40.4Z RuntimeError: x\n"
    "  File \"train.py\", line 3\n"
    "2025-03-02T22:50:20.0Z step 30\n"
    "2025-03-02T22:50:10.0Z step 20\n"
    "2025-03-02T22:50:11.0Z step 21\n"
    "2025-03-02T22:50:00.0Z step 10\n"
    "2025-03-02T22:49:00.0Z begin\n";

TEST_CASE("stamps that run backwards tell an export with the newest line first", "[read]") {
  CHECK(RunsBackwards(kExport));
  CHECK(RunsBackwards(
      "{\"log\":\"f\",\"time\":\"2025-03-02T22:51:06Z\"}\n{\"log\":\"e\",\"time\":\"2025-03-02T22:51:05Z\"}\n"
      "{\"log\":\"d\",\"time\":\"2025-03-02T22:51:04Z\"}\n{\"log\":\"c\",\"time\":\"2025-03-02T22:51:03Z\"}\n"
      "{\"log\":\"b\",\"time\":\"2025-03-02T22:51:02Z\"}\n{\"log\":\"a\",\"time\":\"2025-03-02T22:51:01Z\"}\n"));
  CHECK_FALSE(RunsBackwards("2025-03-02T22:51:01Z b\n2025-03-02T22:51:00Z a\n"));  // two ranks, a moment apart
  std::string forwards;
  for (int i = 10; i < 40; ++i)
    forwards += "2025-03-02 22:51:" + std::to_string(i) + " step\n2025-03-02 22:51:09 late\n";
  CHECK_FALSE(RunsBackwards(forwards));
  CHECK_FALSE(RunsBackwards("step 3\nstep 2\nstep 1\nstep 0\nstep 9\nstep 8\n"));
}

TEST_CASE("from its end a text has its oldest record first, and knows where each line stands", "[read]") {
  const OldestFirst turned = FromItsEnd(kExport, "job.log");
  CHECK(turned.text ==
        "2025-03-02T22:49:00.0Z begin\n"
        "2025-03-02T22:50:00.0Z step 10\n"
        "2025-03-02T22:50:11.0Z step 21\n"
        "2025-03-02T22:50:10.0Z step 20\n"
        "2025-03-02T22:50:20.0Z step 30\n"
        "2025-03-02T22:50:40.4Z RuntimeError: x\n"
        "  File \"train.py\", line 3\n"
        "2025-03-02T22:51:01.4Z done\n");
  REQUIRE(turned.parts.size() == 3);
  CHECK((turned.parts[0].first_line == 1 && turned.parts[0].line == 8 && turned.parts[0].backwards));
  CHECK((turned.parts[1].first_line == 6 && turned.parts[1].line == 2 && !turned.parts[1].backwards));
  CHECK((turned.parts[2].first_line == 8 && turned.parts[2].line == 1 && turned.parts[2].backwards));
}

}  // namespace
}  // namespace ncclwhy

#include "analyze/standstill.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "catch.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

std::string Steps(int last, const char* clock) {
  std::string text;
  for (int i = 1; i <= last; ++i) text += fmt::format("{}{:02},000 - INFO - step {}/20 loss 2.3\n", clock, i, i);
  return text;
}

// How long nothing had gone on when the last line of `text` told of the end.
double StillIn(const std::string& text, Ending how = Ending::kStopped) {
  Parser parser("job.log", nullptr, nullptr);
  parser.Push(text);
  const SourceFacts facts = parser.Finish();
  const JobModel model = BuildJobModel({&facts});
  const std::string_view body = std::string_view(text).substr(0, text.size() - 1);
  LifeSign end;
  end.life = Life::kEnding;
  end.how = how;
  end.of = SignOf::kJob;
  end.source = SourceId{0};
  end.line = end.last_line = static_cast<uint32_t>(facts.counters.Get(Counter::kLines));
  end.text = body.substr(body.rfind('\n') + 1);
  return StoodStill(model, ReadOutcome(model, {end})).value_or(-1);
}

TEST_CASE("whether a minute went by is told by stamps of one source", "[standstill]") {
  const auto covers = [](const std::string& text) {
    Parser parser("job.log", nullptr, nullptr);
    parser.Push(text);
    const SourceFacts facts = parser.Finish();
    return CoversAMinute(BuildJobModel({&facts}));
  };
  const std::string line = "n1:31:31 [0] NCCL INFO NCCL version 2.27.7+cuda13.0\n";
  CHECK_FALSE(covers(line + line));
  CHECK_FALSE(covers("[2026-11-22 11:12:47] " + line + "[2026-11-22 11:13:40] " + line));
  CHECK(covers("[2026-11-22 11:12:47] " + line + "[2026-11-22 11:13:50] " + line));
}

TEST_CASE("a job that was ended long after its last step had stood still", "[standstill]") {
  const std::string steps = Steps(11, "2026-11-26 07:18:");
  CHECK(StillIn(steps + "2026-11-26 07:19:51,000 - WARNING - Received 15 death signal\n") == Approx(100));
  // Without a date, across formats, and in the middle of a line.
  CHECK(StillIn(steps + "W1126 07:19:51.000000 10932 api.py:739] Received 15 death signal\n") == Approx(100));
  CHECK(StillIn(steps + "slurmstepd: error: *** JOB 54 CANCELLED AT 2026-11-26T07:19:51 ***\n") == Approx(100));
  CHECK(StillIn(steps + "2026-11-26 07:19:51,000 - ERROR - exit code 1\n", Ending::kExit) == Approx(100));
}

TEST_CASE("a job that was ended within a few of its steps had not", "[standstill]") {
  const std::string steps = Steps(11, "2026-11-26 07:18:");
  CHECK(StillIn(steps + "2026-11-26 07:18:12,500 - WARNING - Received 15 death signal\n") == -1);
  CHECK(StillIn(steps + "2026-11-26 07:18:26,000 - WARNING - Received 15 death signal\n") == -1);  // 15 steps of 1 s
}

TEST_CASE("nothing is said where the stamps do not tell, or the work was done", "[standstill]") {
  CHECK(StillIn(Steps(11, "2026-11-26 07:18:") + "Received 15 death signal\n") == -1);
  CHECK(StillIn(Steps(20, "2026-11-26 07:18:") + "2026-11-26 07:58:00,000 - ERROR - exit code 1\n", Ending::kExit) ==
        -1);
  // It had other things to do.
  CHECK(StillIn(Steps(11, "2026-11-26 07:18:") + "2026-11-26 07:18:20,000 - INFO - evaluating on the test set\n"
                                                 "2026-11-26 07:58:00,000 - WARNING - Received 15 death signal\n") ==
        -1);
  // Two steps do not tell how long one takes.
  CHECK(StillIn(Steps(2, "2026-11-26 07:18:") + "2026-11-26 07:58:00,000 - Received 15 death signal\n") == -1);
}

TEST_CASE("durations in words", "[standstill]") {
  CHECK(DurationInWords(11520, false) == "3 h 12 min");
  CHECK(DurationInWords(41, true) == "41 秒");
  CHECK(DurationInWords(86400, false) == "1 d");
  CHECK(DurationInWords(0.4, false).empty());
}

}  // namespace
}  // namespace ncclwhy

#include "base/logger_prefix.h"

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("a message without what a logger puts in front of it", "[base]") {
  const char* const bare[][2] = {
      {"[E1122 11:12:03.206394 ProcessGroupNCCL.cpp:684] [Rank 0] Some operations have failed",
       "Some operations have failed"},
      {"2026-11-22 11:12:03 | ERROR | watchdog:253 - rank 2: no progress", "rank 2: no progress"},
      {"2026-11-22 11:12:03,517 - WARNING - loader.py:41 - [rank 3] worker died", "worker died"},
      {"E1122 11:12:03.206394 30389 loader.py:306] rank 3: waiting", "rank 3: waiting"},
      {"W1126 07:14:41.512000 526 torch/distributed/elastic/agent/server/api.py:1012] Sending", "Sending"},
      {"2026-11-22 11:12:03 42 ranks wait", "42 ranks wait"},
      {R"({"ts": 1.5, "level": "WARNING", "msg": "shard \"7\" failed"})", R"(shard \"7\" failed)"},
      {R"({"msg": "cut in the mid)", R"({"msg": "cut in the mid)"},
      {"[2026-11-22 11:12:03,206][watchdog][ERROR] - no progress", "no progress"},
      {"[watchdog] shard [ERROR] is a name", "[watchdog] shard [ERROR] is a name"},
      {"no progress for 6 s", "no progress for 6 s"},
      {"", ""},
  };
  for (const auto& [line, message] : bare) CHECK(WithoutLoggerPrefix(line) == message);
}

TEST_CASE("a line that is too long keeps its message and whose it is", "[base]") {
  CHECK(
      MessageOfLine("[E1126 07:16:26.504 ProcessGroupNCCL.cpp:1628] [PG ID 0 PG GUID 0(default_pg) Rank 2] Received") ==
      "[Rank 2] Received");
  CHECK(MessageOfLine("2026-11-22 11:12:03,517 - WARNING - loader.py:41 - [rank 13] worker died") ==
        "[rank 13] worker died");
  CHECK(MessageOfLine("2026-11-22 11:12:03 | ERROR | watchdog:253 - rank 2: no progress") == "rank 2: no progress");
  CHECK(MessageOfLine("no progress") == "no progress");
  CHECK(MessageOfLine("").empty());
}

TEST_CASE("a progress bar that stands in front of a message is taken away", "[base]") {
  const std::string bar = " 9/10 [=====>...] - ETA: 0s 80ms/step - loss: 0.9";
  CHECK(WithoutProgressBar(bar + "E1122 11:11:52.503438 30384 watch.py:103] late") ==
        "E1122 11:11:52.503438 30384 watch.py:103] late");
  CHECK(WithoutProgressBar(" 40%|####    | 4/10 [00:01<00:02, 2it/s]2026-11-22 11:11:52 late") ==
        "2026-11-22 11:11:52 late");
  CHECK(WithoutProgressBar(" 2%|#  | 41/2000 [00:06<04:55, 6.66it/s, loss=5.09]job.sh: caught SIGTERM") ==
        "job.sh: caught SIGTERM");
  CHECK(WithoutProgressBar(" 2%|#  | 41/2000 [00:06<04:55, 6.66it/s] ") == " 2%|#  | 41/2000 [00:06<04:55, 6.66it/s] ");
  CHECK(WithoutProgressBar(bar) == bar);
  CHECK(WithoutProgressBar(bar + "230terminate called after throwing") == "terminate called after throwing");
  const std::string end = "slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT 2025-01-28T15:04:48 ***";
  CHECK(WithoutProgressBar(" 2%|#  | 41/2000 [00:06<04:55, 6.66it/s]" + end) == end);
  // A time within a message that no bar stands before.
  CHECK(WithoutProgressBar("last seen at 2026-11-22 11:11:52") == "last seen at 2026-11-22 11:11:52");
}

}  // namespace
}  // namespace ncclwhy

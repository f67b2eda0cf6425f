#include "read/stack_frame.h"

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("a frame of a program on Windows is told from those of its libraries", "[read]") {
  constexpr std::string_view kOwn = "File \"D:\\app\\rvc\\train\\train.py\", line 334, in run";
  CHECK(IsProgramFrame(kOwn));
  CHECK(FrameIn(kOwn, false) == "run (train.py:334)");
  CHECK_FALSE(IsProgramFrame(
      "File \"D:\\app\\env\\lib\\site-packages\\torch\\distributed\\c10d_logger.py\", line 81, in wrapper"));
  CHECK(IsProgramFrame("File \"/app/train.py\", line 12, in main"));
  CHECK_FALSE(IsProgramFrame("File \"/usr/lib/python3.11/threading.py\", line 324, in wait"));
}

}  // namespace
}  // namespace ncclwhy

// What undoes the damage that copying does to a log: frames, lost line breaks, files of warnings.
#include <string>

#include "catch.h"
#include "parser/find_frame.h"
#include "parser/name_files.h"
#include "parser/outer_prefix.h"
#include "parser/unglue.h"

namespace ncclwhy {
namespace {

const std::string kTrace =
    "Traceback (most recent call last):\n  File \"train.py\", line 7, in main\n    step()\nRuntimeError: it broke\n";

// Each line of kTrace behind `before` and in front of `after`.
template <typename Before>
std::string Framed(const Before& before, const std::string& after = "") {
  std::string out;
  int number = 0;
  for (size_t begin = 0; begin < kTrace.size();) {
    const size_t end = kTrace.find('\n', begin);
    out += before(++number) + kTrace.substr(begin, end - begin) + after + "\n";
    begin = end + 1;
  }
  return out;
}

TEST_CASE("what every line stands in is taken off, and what belongs to the line stays", "[parser]") {
  const auto bare = [](const std::string& text) { return BareText(text, FindFrame(text)); };
  CHECK(bare(Framed([](int i) { return "   " + std::to_string(i + 8) + "  "; })) == kTrace);
  CHECK(bare(Framed([](int i) {
          return "logs/rank" + std::to_string(i % 2) + ".txt:" + std::to_string(i * 3) + ":";
        })) == kTrace);
  CHECK(bare(Framed([](int) { return "| "; }, " |")) == kTrace);
  CHECK(bare(Framed([](int i) { return "2026-03-01 10:00:0" + std::to_string(i) + ",123 - driver - INFO - "; })) ==
        kTrace);
  CHECK(bare("a,\"one \"\"two\"\"\"\na,\"Traceback (most recent call last):\"\na,\"RuntimeError: x\"\n") ==
        "one \"two\"\nTraceback (most recent call last):\nRuntimeError: x\n");
}

TEST_CASE("what shows itself to be an export or a logger that passes lines on is taken off unknown lines too",
          "[parser]") {
  const auto bare = [](const std::string& text) { return BareText(text, FindFrame(text)); };
  CHECK(bare("2026-11-20T10:00:00Z,job-0,\"out of luck\"\n2026-11-20T10:00:01Z,job-0,\"\"\n"
             "2026-11-20T10:00:02Z,job-0,\"the end\"\n") == "out of luck\n\nthe end\n");
  CHECK(bare("out/rank0.txt:7:out of luck\nout/rank1.txt:9:more\nout/rank0.txt:11:the end\n") ==
        "out of luck\nmore\nthe end\n");
  CHECK(bare("2026-11-20 10:00:00,123 - runner - INFO - out of luck\n2026-11-20 10:00:01,123 - runner - INFO - \n"
             "2026-11-20 10:00:02,123 - runner - INFO - [ERROR] the end\n") == "out of luck\n\n[ERROR] the end\n");
}

TEST_CASE("a logger's own messages keep its name and level", "[parser]") {
  const std::string own =
      "2026-11-20 10:00:00,123 - trainer - INFO - epoch one\n2026-11-20 10:00:01,123 - trainer - INFO - saved\n"
      "2026-11-20 10:00:02,123 - trainer - INFO - done\n";
  CHECK(BareText(own, FindFrame(own)) == "trainer - INFO - epoch one\ntrainer - INFO - saved\ntrainer - INFO - done\n");
  // A bracket that all of them begin with is the logger's own column.
  const std::string column =
      "2026-11-20 10:00:00,607 INFO    MainThread:4711 [init.py:init():12] starting\n"
      "2026-11-20 10:00:01,607 INFO    MainThread:4711 [init.py:init():93] talking to the backend with 90 s timeout\n"
      "2026-11-20 10:00:02,607 INFO    MainThread:4711 [run.py:start():7] started\n";
  CHECK_FALSE(FindFrame(column).any());
  CHECK_FALSE(FindFrame("trainer:7:epoch one\ntrainer:8:saved\ntrainer:9:done\n").any());
}

TEST_CASE("a program's own lines stand in no frame", "[parser]") {
  CHECK_FALSE(FindFrame("epoch 1 loss 0.5\nepoch 2 loss 0.4\nepoch 3 loss 0.3\n").any());
  CHECK_FALSE(FindFrame("1 0.5\n5 0.4\n9 0.3\n200 0.2\n").any());  // a table of its own: numbers do not count lines
  CHECK_FALSE(FindFrame("n1:7:9 [0] NCCL INFO a\nn1:7:9 [0] NCCL INFO b\nn1:7:9 [0] NCCL INFO c\n").any());
  CHECK_FALSE(FindFrame("[1,0]<stdout>:n1:7:9 [0] NCCL INFO a\n[1,0]<stdout>:n1:7:9 [0] NCCL INFO b\n"
                        "[1,1]<stdout>:n1:8:9 [0] NCCL INFO c\n")
                  .any());
  CHECK_FALSE(
      FindFrame("INFO Waiting in store based barrier for rank: 5, key: a\nINFO Waiting in store based barrier for "
                "rank: 1, key: a\nINFO Waiting in store based barrier for rank: 2, key: a\n")
          .any());
  CHECK_FALSE(FindFrame("| one |\n| two |\n").any());  // too few to tell
  // None that ends in mid-time: the host is n1, not 00n1.
  const std::string zoned =
      " | 2026-11-20T10:00:00.123-07:00 | n1:7:9 [0] NCCL INFO a\n | 2026-11-20T10:00:01.123-07:00n1:7:9 [0] NCCL INFO "
      "b\n"
      " | 2026-11-20T10:00:02.123-07:00n1:7:9 [0] NCCL INFO c\n";
  CHECK(BareText(zoned, FindFrame(zoned)).find("\n00") == std::string::npos);
  CHECK_FALSE(FindFrame("").any());
}

TEST_CASE("lines that lost their breaks get them back in front of records", "[parser]") {
  const std::string glued =
      "n1:7:9 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0> NCCL version 2.7.8+cuda11.1 n1:8:9 [1] NCCL INFO "
      "NET/IB : No device found. [0] misc/x.cc:6 NCCL WARN it broke Traceback (most recent call last): File \"a.py\", "
      "line 7 RuntimeError: NCCL error Last error: it broke";
  const Unglued out = Unglue(glued);
  CHECK(out.text ==
        "n1:7:9 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>\nNCCL version 2.7.8+cuda11.1\nn1:8:9 [1] NCCL INFO "
        "NET/IB : No device found.\n[0] misc/x.cc:6 NCCL WARN it broke\nTraceback (most recent call last): File "
        "\"a.py\", line 7\nRuntimeError: NCCL error\nLast error:\nit broke");
  CHECK(out.text.size() == glued.size());  // offsets stay
  CHECK(out.sure == 3);
}

TEST_CASE("a prefix is not torn from its header, and a short or plain line stays", "[parser]") {
  const std::string tail(150, 'x');
  CHECK(Unglue("[1,3]<stdout>:n1:7:9 [0] NCCL INFO " + tail).cuts == 0);
  CHECK(Unglue("2026-03-01 10:00:00 worker-1 >> [2026-03-01 10:00:00] n1:7:9 [0] NCCL INFO " + tail).cuts == 0);
  CHECK(Unglue("(Actor pid=7, ip=10.0.0.1) [rank9]:[E416 13:21:26.9 ProcessGroupNCCL.cpp:1834] " + tail).cuts == 0);
  CHECK(Unglue(tail + " and so on, of one program").cuts == 0);
  CHECK(Unglue(tail + " srun: Job 7 CANCELLED AT 2025-01-28T15:04:48 and more").text.find("AT\n") == std::string::npos);
  CHECK(Unglue("n1:7:9 [0] NCCL INFO a n1:7:9 [0] NCCL INFO b").cuts == 0);
  // Labels that nothing closes: this went on for ever.
  CHECK(Unglue("n1:7:9 [0] NCCL INFO " + tail + " [1,3]<stdout and nothing that closes it").cuts == 0);
  CHECK(Unglue("n1:7:9 [0] NCCL INFO " + tail + " (Actor pid=7 and nothing that closes it").cuts == 0);
}

TEST_CASE("the trace behind a warning says in which file it stands", "[parser]") {
  const std::string trace = "transport/nvls.cc:394 -> 1\n";
  CHECK(NameFiles("NCCL WARN it broke\nNCCL INFO " + trace) ==
        "transport/nvls.cc:394 NCCL WARN it broke\nNCCL INFO " + trace);
  CHECK(NameFiles("n1:7:9 [0] NCCL WARN it broke\nn1:7:9 [0] NCCL INFO " + trace) ==
        "n1:7:9 [0] transport/nvls.cc:394 NCCL WARN it broke\nn1:7:9 [0] NCCL INFO " + trace);
  CHECK(NameFiles("it broke\n" + trace).empty());
  CHECK(NameFiles("n1:7:9 [0] proxy.cc:7 NCCL WARN it broke\nn1:7:9 [0] NCCL INFO " + trace).empty());
  CHECK(NameFiles("NCCL INFO fine\nNCCL INFO " + trace).empty());
}

}  // namespace
}  // namespace ncclwhy

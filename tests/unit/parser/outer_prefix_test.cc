#include "parser/outer_prefix.h"

#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

const std::string kNccl = "node3:4711:4790 [2] NCCL INFO hello";

struct Case {
  std::string prefix;
  int32_t rank = -1;
  int32_t local_rank = -1;
  int64_t pid = -1;
  std::string host, pod, time, stream;
};

const Case kPrefixes[] = {
    {"[rank3]:", 3, -1, -1, "", "", "", ""},
    {"[rank3]: ", 3, -1, -1, "", "", "", ""},
    {"[train-worker-1] [rank9]: ", 9, -1, -1, "", "train-worker-1", "", ""},
    {"[default3]:", -1, 3, -1, "", "", "", ""},
    {"[1,3]<stdout>:", 3, -1, -1, "", "", "", "stdout"},
    {"[1,3]<stderr>: ", 3, -1, -1, "", "", "", "stderr"},
    {"[prterun-host-1234@1,3]<stdout>: ", 3, -1, -1, "", "", "", "stdout"},
    {"[3]<stdout>:", 3, -1, -1, "", "", "", "stdout"},
    {"[1,mpirank:3,algo-1]<stdout>:", 3, -1, -1, "", "algo-1", "", "stdout"},
    {"Sat Mar  1 12:00:00 2025[1,3]<stdout>:", 3, -1, -1, "", "", "Sat Mar  1 12:00:00 2025", "stdout"},
    {"Sat Mar  1 12:00:00 2025<stdout>:", -1, -1, -1, "", "", "Sat Mar  1 12:00:00 2025", "stdout"},
    {"3: ", 3, -1, -1, "", "", "", ""},
    {"  3: ", 3, -1, -1, "", "", "", ""},
    {"[56] ", 56, -1, -1, "", "", "", ""},
    {"[RANK 0] ", 0, -1, -1, "", "", "", ""},
    {"[rank: 5] ", 5, -1, -1, "", "", "", ""},
    {"(RayWorker pid=812, ip=10.1.62.31) ", -1, -1, 812, "10.1.62.31", "RayWorker", "", ""},
    {"(VllmWorker rank=1 pid=2514) ", 1, -1, 2514, "", "VllmWorker", "", ""},
    {"(PolicyWorker[rank=3] pid=5007, ip=10.65.3.4) ", 3, -1, 5007, "10.65.3.4", "PolicyWorker", "", ""},
    {"(Worker_TP1 pid=99) ", 1, 1, 99, "", "Worker_TP1", "", ""},
    {"(Worker_TP1_EP1 pid=99) ", 1, 1, 99, "", "Worker_TP1_EP1", "", ""},
    {"(Worker_PP1_TP1 pid=99) ", -1, 1, 99, "", "Worker_PP1_TP1", "", ""},
    {"(Worker_DP1_TP1 pid=99) ", -1, 1, 99, "", "Worker_DP1_TP1", "", ""},
    {"(raylet) ", -1, -1, -1, "", "", "", ""},
    {"INFO 10-13 09:06:25 [v1/executor/x.py:558] ", -1, -1, -1, "", "", "10-13 09:06:25", ""},
    {"[2025-03-01 12:00:00 TP3] ", 3, 3, -1, "", "", "2025-03-01 12:00:00", ""},
    {"[2025-03-01 12:00:00 DP1 TP3 EP3] ", -1, 3, -1, "", "", "2025-03-01 12:00:00", ""},
    {"2025-03-01T12:00:00.123456789Z stdout F ", -1, -1, -1, "", "", "2025-03-01T12:00:00.123456789Z", "stdout"},
    {"2025-03-01T12:00:00.123456789Z ", -1, -1, -1, "", "", "2025-03-01T12:00:00.123456789Z", ""},
    {"2025-03-01T12:00:00.123456Z 01O ", -1, -1, -1, "", "", "2025-03-01T12:00:00.123456Z", "stdout"},
    {"[2025-03-01T12:00:00.123Z] [1,3]<stdout>:", 3, -1, -1, "", "", "2025-03-01T12:00:00.123Z", "stdout"},
    {"[pod/train-worker-3/pytorch] ", -1, -1, -1, "", "train-worker-3", "", ""},
    {"worker-1  | ", -1, -1, -1, "", "worker-1", "", ""},
    {"Mar  1 12:00:00 gpu-a17 python3[4711]: ", -1, -1, 4711, "gpu-a17", "", "Mar  1 12:00:00", ""},
    {"2025-03-01T12:00:00+00:00 gpu-a17 kernel: ", -1, -1, -1, "gpu-a17", "", "2025-03-01T12:00:00+00:00", ""},
    {"gpu-a17: ", -1, -1, -1, "gpu-a17", "", "", ""},
    {" 2025-02-18 12:54 ", -1, -1, -1, "", "", "2025-02-18 12:54", ""},
    {"16:26:52.052 ", -1, -1, -1, "", "", "16:26:52.052", ""},
    {"1764579611.198400 ", -1, -1, -1, "", "", "1764579611.198400", ""},
    {"1712345678123 ", -1, -1, -1, "", "", "1712345678123", ""},
    {"#13 4.991 ", -1, -1, -1, "", "", "", ""},
    {"##[error]", -1, -1, -1, "", "", "", ""},
    {"\x1b_bk;t=1749061321249\a", -1, -1, -1, "", "", "1749061321249", ""},
    {"_bk;t=1749061321249\a", -1, -1, -1, "", "", "1749061321249", ""},
    {"_bk;t=1749061321249", -1, -1, -1, "", "", "1749061321249", ""},
    {"> ", -1, -1, -1, "", "", "", ""},
    {"> > ", -1, -1, -1, "", "", "", ""},
    {"2025-03-01T12:00:00Z {pod=\"w-3\", container=\"c\"} ", -1, -1, -1, "", "w-3", "2025-03-01T12:00:00Z", ""},
    {"2025-03-01T12:00:00.1Z 1a2b3c [rank=3] || ", 3, -1, -1, "", "", "2025-03-01T12:00:00.1Z", ""},
    {"[2025-03-01T12:00:00.1Z] 1a2b3c [rank=3] || ", 3, -1, -1, "", "", "2025-03-01T12:00:00.1Z", ""},
    {"2025-03-01T12:00:00.123456789Z stdout F [1,3]<stdout>:[rank3]:", 3, -1, -1, "", "",
     "2025-03-01T12:00:00.123456789Z", "stdout"},
    {"2025-03-01T12:00:00.1234567Z  0: (Actor pid=8) ", 0, -1, 8, "", "Actor", "2025-03-01T12:00:00.1234567Z", ""},
};

TEST_CASE("what a terminal keeps to itself is no text, but for what nothing ends", "[outer_prefix]") {
  OuterPrefixStripper stripper;
  CHECK(stripper.Strip("\x1b]0;title\atext").text == "text");
  CHECK(stripper.Strip("\x1bP1$r0m\x1b\\text").text == "text");
  CHECK(stripper.Strip("\x1bPRuntimeError: lost").text == "RuntimeError: lost");
}

TEST_CASE("launcher and collector prefixes", "[outer_prefix]") {
  for (const Case& c : kPrefixes) {
    INFO(c.prefix);
    OuterPrefixStripper stripper;
    const std::string line = c.prefix + kNccl;
    const StrippedLine s = stripper.Strip(line);
    CHECK(s.text == kNccl);
    CHECK(s.prefix.any);
    CHECK(s.prefix.rank == c.rank);
    CHECK(s.prefix.local_rank == c.local_rank);
    CHECK(s.prefix.pid == c.pid);
    CHECK(s.prefix.host == c.host);
    CHECK(s.prefix.pod == c.pod);
    CHECK(s.prefix.time == c.time);
    CHECK(s.prefix.stream == c.stream);
  }
}

TEST_CASE("UCX says its host and process", "[outer_prefix]") {
  OuterPrefixStripper stripper;
  const StrippedLine s = stripper.Strip(
      "[1764579611.198400] [cn0417:40120:0]          ib_md.c:287  UCX  ERROR ibv_reg_mr(address=0x1) failed");
  CHECK(s.text == "ib_md.c:287  UCX  ERROR ibv_reg_mr(address=0x1) failed");
  CHECK(s.prefix.host == "cn0417");
  CHECK(s.prefix.pid == 40120);
  CHECK(s.prefix.time == "1764579611.198400");
  const StrippedLine caught = stripper.Strip("[gpu07:987641:0:987641] Caught signal 11 (Segmentation fault: x)");
  CHECK(caught.text == "Caught signal 11 (Segmentation fault: x)");
  CHECK(caught.prefix.pid == 987641);
  for (const char* other :
       {"[cn0417:40120:0] hello", "[12:40:55] ib_md.c:287  UCX  ERROR x", "[cn0417:x:0] ib_md.c:287  UCX  ERROR x"}) {
    CHECK(stripper.Strip(other).prefix.host.empty());
  }
}

TEST_CASE("a warning of vLLM stays one", "[outer_prefix]") {
  OuterPrefixStripper stripper;
  const char* const warning = "WARNING 02-12 09:30:33 [ray_utils.py:338] Tensor parallel size (16) exceeds";
  CHECK(stripper.Strip(warning).text == warning);
}

TEST_CASE("nothing is taken from lines without a prefix", "[outer_prefix]") {
  for (const char* line :
       {"node3:4711:4790 [2] NCCL INFO hello", "[2025-03-01 12:00:00] node3:4711:4801 [2] a.cc:1 NCCL WARN x",
        "[0] NCCL INFO misc/socket.cc:80 -> 6", "RuntimeError: boom", "  File \"a.py\", line 3, in f", "WARNING: slow",
        "3: no header yet", "0 1 2 3", "[Rank 3] Watchdog caught", "[E ProcessGroupNCCL.cpp:458] x",
        "[E1205 04:35:53.584483882 ProcessGroupNCCL.cpp:607] x", ">>> import torch", "Float16Module | train", "",
        "8.850E-04 | global batch size: 512", "2022-10-13 04:16:09.849660: E external/a.cc:2130] x",
        "[node3:04711] *** Process received signal ***", "[node07]: out of memory"}) {
    INFO(line);
    OuterPrefixStripper stripper;
    CHECK(stripper.Strip(line).text == line);
  }
}

TEST_CASE("ambiguous prefixes are believed once they stood in front of a header", "[outer_prefix]") {
  OuterPrefixStripper stripper;
  CHECK(stripper.Strip("3: Traceback").text == "3: Traceback");
  CHECK(stripper.Strip(" 3: " + kNccl).text == kNccl);
  CHECK(stripper.Strip("12: Traceback").prefix.rank == 12);
  CHECK(stripper.Strip("39: ").text.empty());
  CHECK(stripper.Strip("16:26:52 clock").prefix.rank == -1);
  CHECK(stripper.Strip("gpu-a17: hello").text == "gpu-a17: hello");
  stripper.Strip("gpu-a17: " + kNccl);
  CHECK(stripper.Strip("gpu-a17: hello").prefix.host == "gpu-a17");
}

TEST_CASE("a label is believed when syslog behind it says the same host", "[outer_prefix]") {
  OuterPrefixStripper stripper;
  CHECK(stripper.Strip("gpu-a17:   State : In Progress").prefix.host.empty());
  CHECK(stripper.Strip("gpu-a18: Jan 20 06:12:40 gpu-a17 nv-fabricmanager[2871]: text").prefix.host.empty());
  CHECK(stripper.Strip("gpu-a17: Jan 20 06:12:40 gpu-a17 nv-fabricmanager[2871]: text").text == "text");
  CHECK(stripper.Strip("gpu-a17:   State : In Progress").prefix.host == "gpu-a17");
}

TEST_CASE("labels are believed without NCCL when they return before records", "[outer_prefix]") {
  OuterPrefixStripper tasks;
  CHECK(tasks.Strip("1: loading").prefix.rank == -1);
  CHECK(tasks.Strip("0: Traceback (most recent call last):").prefix.rank == 0);
  CHECK(tasks.Strip("2: loss=0.5").prefix.task == 2);
  for (const char* record : {"[rank3]: Traceback", "[W305 12:42:17.024437460 ProcessGroupNCCL.cpp:1250] Warning",
                             "W0305 12:42:17.994000 178129 api.py:897] Sending", "2026-03-05 12:42:17,994 | INFO"}) {
    INFO(record);
    OuterPrefixStripper stripper;
    CHECK(stripper.Strip(std::string("4: ") + record).prefix.task == -1);
    CHECK(stripper.Strip(std::string("4: ") + record).prefix.task == 4);
  }
  // Lines of a listing, a list, a table.
  OuterPrefixStripper listing;
  for (int i = 1; i < 9; ++i) listing.Strip(std::to_string(i) + ": 2026-03-05 12:42:17,994 text");
  CHECK(listing.Strip("9: 2026-03-05 12:42:17,994 text").prefix.task == -1);
  OuterPrefixStripper links;
  for (int i : {1, 2, 3, 1, 2, 3}) links.Strip(std::to_string(i) + ": eth0: <UP>");
  CHECK(links.Strip("1: lo: <UP>").prefix.task == -1);
  OuterPrefixStripper in_a_row;
  for (int i = 1; i < 4; ++i) CHECK(in_a_row.Strip("0: step " + std::to_string(i)).prefix.task == -1);
  CHECK(in_a_row.Strip("0: step 4").prefix.task == 0);
  OuterPrefixStripper brackets;
  CHECK(brackets.Strip("[1] Traceback (most recent call last):").prefix.task == -1);
  CHECK(brackets.Strip("[0] Traceback (most recent call last):").prefix.task == 0);
  // The program says another rank than the launcher's label.
  const OuterPrefix both = tasks.Strip("0: [rank1]: text").prefix;
  CHECK(both.task == 0);
  CHECK(both.rank == 1);
  CHECK(both.rank_said);
}

TEST_CASE("hosts are believed without NCCL before the second record", "[outer_prefix]") {
  OuterPrefixStripper stripper;
  CHECK(stripper.Strip("gpu-a17: Traceback (most recent call last):").prefix.host.empty());
  CHECK(stripper.Strip("gpu-a17: [rank3]: text").prefix.host == "gpu-a17");
  for (const char* record : {"11/03/2025 22:10:11 - INFO - __main__ - Distributed environment: MULTI_GPU",
                             "Fatal Python error: Segmentation fault"}) {
    INFO(record);
    OuterPrefixStripper other;
    CHECK(other.Strip(std::string("gpu-a17: ") + record).prefix.host.empty());
    CHECK(other.Strip(std::string("gpu-a17: ") + record).prefix.host == "gpu-a17");
  }
  for (const char* word : {"train_v2.py", "ERROR", "12"}) {
    INFO(word);
    OuterPrefixStripper other;
    other.Strip(std::string(word) + ": [rank3]: text");
    CHECK(other.Strip(std::string(word) + ": [rank3]: text").prefix.host.empty());
  }
}

TEST_CASE("unknown constant text is learned", "[outer_prefix]") {
  OuterPrefixStripper stripper;
  const std::string junk = "worker-11 >> ";
  const std::string text = junk + "x";
  stripper.Learn(junk);
  CHECK(stripper.Strip(text).text == text);
  stripper.Learn(junk);
  const StrippedLine s = stripper.Strip(text);
  CHECK(s.text == "x");
  CHECK(s.prefix.pod == "worker-11");
  OuterPrefixStripper segment = stripper.ForSegment();
  CHECK(segment.Strip(text).text == "x");
  for (const char* piece : {"stone:2984736:2", "  1024  float  -1", "10%|█ | 3/9 [00:01, 3it/s]", "12 "}) {
    stripper.Learn(piece);
    stripper.Learn(piece);
    const std::string line = std::string(piece) + "x";
    CHECK(stripper.Strip(line).text == line);
  }
}

TEST_CASE("line numbers of a listing are not ranks", "[outer_prefix]") {
  OuterPrefixStripper numbers;
  for (int i = 7; i < 14; ++i) numbers.Strip(std::to_string(i) + ": " + kNccl);
  CHECK(numbers.labels_are_line_numbers());
  OuterPrefixStripper tasks;
  for (int i : {0, 1, 2, 3, 0, 1}) tasks.Strip(std::to_string(i) + ": " + kNccl);
  CHECK_FALSE(tasks.labels_are_line_numbers());
}

TEST_CASE("colours, entities and JSON are undone", "[outer_prefix]") {
  OuterPrefixStripper stripper;
  const std::string coloured = "\x1b[36m(RayWorker pid=4009)\x1b[0m " + kNccl;
  StrippedLine s = stripper.Strip(coloured);
  CHECK(s.text == kNccl);
  CHECK(s.prefix.pid == 4009);
  const std::string lost = "[36m(RayWorker pid=4009)[0m " + kNccl;
  CHECK(stripper.Strip(lost).text == kNccl);
  CHECK(stripper.Strip("n:1:1 [0] NCCL INFO 0[0] -&gt; 1 eth0&lt;0&gt;").text ==
        "n:1:1 [0] NCCL INFO 0[0] -> 1 eth0<0>");
  const std::string docker =
      R"({"log":"[1,3]\u003cstderr\u003e:)" + kNccl + R"(\n","stream":"stderr","time":"2025-03-01T12:00:00Z"})";
  s = stripper.Strip(docker);
  CHECK(s.text == kNccl);
  CHECK(s.prefix.rank == 3);
  CHECK(s.prefix.time == "2025-03-01T12:00:00Z");
  s = stripper.Strip(R"({"kubernetes":{"pod_name":"w-3"},"message":"tab\there \"q\""})");
  CHECK(s.text == "tab\there \"q\"");
  CHECK(s.prefix.pod == "w-3");
}

TEST_CASE("kernel lines are marked", "[outer_prefix]") {
  OuterPrefixStripper stripper;
  for (const char* line : {"[131453.740743] NVRM: Xid", "Mar  1 12:00:00 a kernel: [13.740743] NVRM: Xid",
                           "[Sat Mar  1 12:00:00 2025] NVRM: Xid", "4,1227,437812449932,-;NVRM: Xid"}) {
    INFO(line);
    const StrippedLine s = stripper.Strip(line);
    CHECK(s.kernel);
    CHECK(s.text == "NVRM: Xid");
  }
}

}  // namespace
}  // namespace ncclwhy

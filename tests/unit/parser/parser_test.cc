#include "parser/parser.h"

#include <algorithm>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "catch.h"
#include "facts_text.h"
#include "parser/parse_text.h"

namespace ncclwhy {
namespace {

TEST_CASE("every line is in exactly one class", "[parser]") {
  const SourceFacts f = Parse(
      "node3:4711:4790 [2] NCCL INFO Bootstrap : Using eth0:10.0.0.3<0>\n"
      "\n"
      "node3:4711:4790 [2] misc/socket.cc:484 NCCL WARN Net : Connection closed by remote peer\n"
      "node3:4711:4790 [2] NCCL INFO a sentence that nobody knows\n"
      "hello\n"
      "node3:4711:4790 [2] NCCL INFO Chan node3:4712:4791 [3] NCCL INFO Connected all rings\n"
      "NCCL version 2.21.5+cuda12.4\n" +
      std::string(limits::kLineBytes + 1, 'x') + "\n");
  CHECK(Count(f, Counter::kLines) == 8);
  CHECK(Count(f, Counter::kNccl) == 4);
  CHECK(Count(f, Counter::kRecognised) == 3);
  CHECK(Count(f, Counter::kUnrecognised) == 1);
  CHECK(Count(f, Counter::kForeign) == 2);
  CHECK(Count(f, Counter::kDamaged) == 2);
  CHECK(Count(f, Counter::kClippedLines) == 1);
  CHECK(Count(f, Counter::kGluedRecords) == 1);
}

struct Message {
  const char* line;
  const char* kind;
  const char* fields;
};

const Message kMessages[] = {
#include "messages.inc"
};

TEST_CASE("messages become events", "[parser]") {
  for (const Message& m : kMessages) {
    INFO(m.line);
    const SourceFacts f = Parse(std::string(m.line) + "\n");
    REQUIRE(f.events.size() == 1);
    const Event& e = f.events[0];
    CHECK(EventKindName(e.kind) == m.kind);
    std::vector<std::string> fields;
    for (uint32_t i = 0; i < e.field_count; ++i) {
      const Field& field = f.fields[e.field_begin + i];
      fields.push_back(std::string(FieldName(field.id)) + "=" + std::string(f.Str(field.value)));
    }
    std::sort(fields.begin(), fields.end());
    std::string joined;
    for (const std::string& field : fields) joined += (joined.empty() ? "" : "; ") + field;
    CHECK(joined == m.fields);
  }
}

TEST_CASE("torn lines invent no hosts", "[parser]") {
  CollectLines sink;
  const SourceFacts f = Parse(
      "stone:2984736:2984736 [1] NCCL INFO Using network Socket\n"
      "stone:2984738:2984738 [3] NCCL INFO Using network Socket\n"
      "stone:2984736:298473stonstone:2984738:2984738 NCCL CALL ncclGroupEnd()\n"
      "stone:2984736:2stone:2984738:2984738 [3] NCCL INFO Using network Socket\n"
      "  8388608  2097152  float  sum  -1stone:2984736:2984736 [1] NCCL INFO Using network Socket\n"
      "stonstone:2984738:2984738 [3] NCCL INFO Using network Socket\n"
      "one:2984738:2984738 [3] NCCL INFO Using network Socket\n"
      "stone:2984736:29\n",
      &sink);
  std::vector<std::string> processes;
  for (const ProcessFacts& p : f.processes) {
    if (p.host.valid()) processes.push_back(std::string(f.Str(p.host)) + ":" + std::to_string(p.pid));
  }
  std::sort(processes.begin(), processes.end());
  processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
  CHECK(processes == std::vector<std::string>{"stone:2984736", "stone:2984738"});
  CHECK(Count(f, Counter::kDamaged) == 3);
}

TEST_CASE("glued records are split", "[parser]") {
  CollectLines sink;
  Parse(
      "a1:10:11 [0] NCCL INFO Using network IB\n"
      "a1:10:11 [0] NCCL INFO NVLS multicast supp[rank1]:[E ProcessGroupNCCL.cpp:563] [Rank 1] Watchdog caught\n"
      "Epoch 0:   6% 1.37it/s][E ProcessGroupNCCL.cpp:458] Some NCCL operations have failed\n"
      "10%\r20%\ra1:10:11 [0] NCCL INFO Using network IB\n",
      &sink);
  REQUIRE(sink.lines.size() == 8);
  CHECK(sink.lines[1].body == "NVLS multicast supp");
  CHECK(sink.lines[1].torn);
  CHECK(sink.lines[2].dialect == Dialect::kTorch);
  CHECK_FALSE(sink.lines[2].first);
  CHECK(sink.lines[3].body == "Epoch 0:   6% 1.37it/s]");
  CHECK(sink.lines[4].dialect == Dialect::kTorch);
  CHECK(sink.lines[5].body == "10%");
  CHECK(sink.lines[7].body == "Using network IB");
}

TEST_CASE("a glued record brings its own prefix", "[parser]") {
  const SourceFacts f = Parse(
      "NCCL work: 8. [repeated 6x] (Actor pid=812, ip=10.1.62.31) [rank9]:[E416 13:21:26.967565300 "
      "ProcessGroupNCCL.cpp:1834] [PG ID 1 PG GUID 2 Rank 1] Timeout at NCCL work: 7, last enqueued NCCL work: 8.\n");
  REQUIRE(f.events.size() == 1);
  CHECK(f.Get(f.events[0], FieldId::kRank) == "9");
  REQUIRE(f.events[0].process < f.processes.size());
  const ProcessFacts& p = f.processes[f.events[0].process];
  CHECK(p.launcher_rank == 9);
  CHECK(p.pid == 812);
  CHECK(f.Str(p.host) == "10.1.62.31");
}

TEST_CASE("under one label of a launcher may run several ranks", "[parser]") {
  const SourceFacts tasks = Parse(
      "0: [rank0]: Traceback (most recent call last):\n0: [rank1]: ValueError: x\n1: [rank2]: ValueError: x\n"
      "1: agent says\n0: [rank0]: ValueError: x\n");
  // The first line came before the label was believed.
  std::map<int32_t, uint64_t> lines;
  uint64_t of_task = 0;
  for (const ProcessFacts& p : tasks.processes) {
    lines[p.launcher_rank] += p.lines;
    if (tasks.Str(p.pod) == "task 1") of_task += p.lines;
  }
  CHECK(lines[0] == 2);
  CHECK(lines[1] == 1);
  CHECK(lines[2] == 1);
  CHECK(of_task == 1);
  // One rank under each: the label is the rank.
  const SourceFacts ranks = Parse(
      "0: [rank0]: Traceback (most recent call last):\n0: agent says\n1: [rank1]: ValueError: x\n1: agent says\n");
  for (const ProcessFacts& p : ranks.processes) CHECK_FALSE(p.pod.valid());
}

TEST_CASE("what is written over one another has the label of its line", "[parser]") {
  const SourceFacts f = Parse(
      "[1,3]<stderr>: 10%| | 1/10\r 20%| | 2/10\r 30%| | 3/10\r 40%| | 4/10\n"
      "[1,2]<stderr>: 10%| | 1/10\nplain\r text\n");
  REQUIRE(f.pulses.size() == 1);
  REQUIRE(f.pulses[0].process < f.processes.size());
  CHECK(f.processes[f.pulses[0].process].launcher_rank == 3);
  CHECK(f.pulses[0].last_value == 4);
  // Not that of a line before.
  const SourceFacts other = Parse(
      "[1,3]<stderr>:one\rtwo\nnode1:4711:4790 [0] NCCL INFO Using network IB\r 10%| | 1/10\r 20%| | 2/10\r 30%| | "
      "3/10\r 40%| | 4/10\n");
  for (const ProcessFacts& p : other.processes) {
    if (p.launcher_rank == 3) CHECK(p.lines == 2);
  }
}

TEST_CASE("lines without a header belong to the stream they came through", "[parser]") {
  CollectLines sink;
  const SourceFacts f = Parse(
      "[1,0]<stdout>:a1:10:11 [0] NCCL INFO Using network IB\n"
      "[1,1]<stdout>:a2:20:21 [0] NCCL INFO Using network IB\n"
      "[1,1]<stderr>:RuntimeError: boom\n"
      "[1,2]<stderr>:RuntimeError: boom\n",
      &sink);
  REQUIRE(f.processes.size() == 4);
  CHECK(f.Str(f.processes[2].host) == "a2");
  CHECK(f.processes[2].pid == 20);
  CHECK(f.processes[2].launcher_rank == 1);
  CHECK(f.processes[1].launcher_rank == 1);
  CHECK_FALSE(f.processes[3].host.valid());
  CHECK(f.processes[3].launcher_rank == 2);
  // Without prefixes: the only process of the source, if there is only one.
  const std::string one = "a1:10:11 [0] NCCL INFO Using network IB\nRuntimeError: boom\n";
  const SourceFacts alone = Parse(one);
  CHECK(alone.processes[1].pid == 10);
  const SourceFacts two = Parse(one + "a2:20:21 [0] NCCL INFO Using network IB\n");
  CHECK(two.processes[1].pid == -1);
}

TEST_CASE("events of one kind are limited, and counted", "[parser]") {
  std::string log;
  for (int i = 0; i < 200; ++i) log += "a1:10:11 [0] misc/socket.cc:1 NCCL WARN Something " + std::to_string(i) + "\n";
  const SourceFacts f = Parse(log);
  CHECK(f.events.size() == limits::kEventsPerKindAndProcess);
  CHECK(Count(f, Counter::kDroppedEvents) == 200 - limits::kEventsPerKindAndProcess);
  CHECK(f.processes[0].warns == 200);
}

TEST_CASE("facts do not depend on where chunks end", "[parser]") {
  const std::string coll = Coll("AllReduce", 4);
  const std::string log =
      "\xEF\xBB\xBF[1,0]<stdout>:a1:10:11 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB "
      "eth0:10.0.0.3<0>\r\n" +
      coll + coll + std::string("\n10%\r20%\rnode3:4711:4790 [2] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/IPC\n") +
      "node3:4711:4790 [2] NCCL INFO Chan node3:4712:4791 [3] NCCL INFO Connected all rings\n" +
      std::string("nul\0byte\n", 9) + "caf\xC3\xA9 \xFF\n" + std::string(limits::kLineBytes + 10, 'y') +
      "\nTraceback (most recent call last):\n  File \"a.py\", line 3, in f\nRuntimeError: boom\nlast";
  const std::string expected = FactsText(Parse(log));
  std::mt19937 random(7);
  for (int round = 0; round < 30; ++round) {
    Parser parser("test.log", nullptr, nullptr);
    for (size_t at = 0; at < log.size();) {
      const size_t step = round == 0 ? 1 : std::uniform_int_distribution<size_t>(1, 1u << (round % 16))(random);
      parser.Push(std::string_view(log).substr(at, step));
      at += step;
    }
    REQUIRE(FactsText(parser.Finish()) == expected);
  }
}

TEST_CASE("hostile input is counted, not believed", "[parser]") {
  std::mt19937 random(11);
  const std::string pieces[] = {"NCCL INFO ",
                                "NCCL WARN ",
                                ":",
                                "1",
                                "a",
                                " ",
                                "[",
                                "]",
                                "->",
                                "\n",
                                "\r",
                                "(",
                                ")",
                                "<0>",
                                "a1:10:11 [0] NCCL INFO ",
                                "[rank3]:",
                                "&lt;",
                                "\x1b[0m",
                                "{\"log\":\"",
                                "\\u00",
                                "comm 0x1 ",
                                "[E a.cpp:1] ",
                                "Channel 00/0 : ",
                                "via NET/",
                                "AllReduce: opCount ",
                                std::string(1, '\0'),
                                "\xff"};
  for (int round = 0; round < 300; ++round) {
    std::string log;
    for (int i = 0; i < 200; ++i) log += pieces[random() % std::size(pieces)];
    const SourceFacts whole = Parse(log);
    CHECK(Count(whole, Counter::kLines) ==
          Count(whole, Counter::kNccl) + Count(whole, Counter::kForeign) + Count(whole, Counter::kDamaged));
    Parser bytes("test.log", nullptr, nullptr);
    for (char c : log) bytes.Push({&c, 1});
    REQUIRE(FactsText(bytes.Finish()) == FactsText(whole));
  }
}

}  // namespace
}  // namespace ncclwhy

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

namespace ncclwhy {
namespace {

struct Seen {
  std::string text, body;
  Dialect dialect;
  uint32_t process;
  bool torn, first;
};

struct CollectLines : LineSink {
  std::vector<Seen> lines;
  void OnLine(const ParsedLine& l, uint32_t process, int, SourceFacts&) override {
    lines.push_back({std::string(l.text), std::string(l.body), l.dialect, process, l.torn, l.first_record});
  }
};

SourceFacts Parse(const std::string& input, LineSink* sink = nullptr, ParserOptions options = {}) {
  Parser parser("test.log", nullptr, sink, options);
  parser.Push(input);
  return parser.Finish();
}

uint64_t Count(const SourceFacts& f, Counter c) { return f.counters.Get(c); }

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

TEST_CASE("uneventful lines are neither shown nor kept, but counted", "[parser]") {
  for (const char* body :
       {"Channel 00/02 : 0 1 2 3", "Channel 00/02 :    0   1", "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read",
        "Channel 00 : 0[18000] -> 1[3b000] via direct shared memory", "Ring 00 : 3 -> 0 -> 1",
        "Trees [0] 1/2/-1->0->-1 [1] 1/-1/-1->0->2", "Tree 0 : -1 -> 0 -> 1/-1/-1",
        "Trees [0] 1/-1/-1->0->-1|-1->0->1/-1/-1",
        "AllReduce: 268435456 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..23}",
        "AllReduce: opCount 1f sendbuff 0x7f recvbuff 0x7f count 65536 datatype 7 op 0 root 0 comm 0x55 [nranks=4] "
        "stream 0xf0",
        "AllReduce: opCount f9 sendbuff 0x7f recvbuff 0x7f acc (nil) count 65536 datatype 7 op 0 root 0 comm 0x55 "
        "[nranks=4] stream 0xf0 task 0 globalrank 3",
        "Broadcast: opCount 0 sendbuff (nil) recvbuff 0x7f count 6 datatype 7 op 0 root 3 comm 0x55 stream (nil)"}) {
    INFO(body);
    CollectLines sink;
    const std::string line = std::string("node3:4711:4790 [2] NCCL INFO ") + body + "\n";
    const SourceFacts f = Parse(line + line, &sink);
    CHECK(sink.lines.empty());
    CHECK(f.events.empty());
    CHECK(Count(f, Counter::kRecognised) == 2);
    REQUIRE(f.processes.size() == 1);
    CHECK(f.processes[0].lines == 2);
    CHECK(f.Str(f.processes[0].last.text) == body);
  }
}

TEST_CASE("a cut edge or COLL line is shown", "[parser]") {
  for (const char* body : {"Channel 00/0 : 0[0] -> 1[1] via ", "Channel 00/0 : 0[0] -> ",
                           "AllReduce: opCount 1f sendbuff 0x7f recvbuff 0x7f count 65536 datatype 7 op 0 ro"}) {
    INFO(body);
    CollectLines sink;
    const SourceFacts f = Parse(std::string("node3:4711:4790 [2] NCCL INFO ") + body + "\n", &sink);
    CHECK(sink.lines.size() == 1);
    CHECK(f.connections.empty());
    CHECK(f.collectives.empty());
  }
}

TEST_CASE("edges are folded over channels", "[parser]") {
  struct Edge {
    const char* text;
    int32_t from, to;
    char direction;
    const char* transport;
    const char* device;
    bool gdr;
  };
  const Edge edges[] = {
      {"Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read", 0, 1, ' ', "P2P/CUMEM", "", false},
      {"Channel 01 : 0[1b000] -> 1[1c000] via P2P/direct pointer", 0, 1, ' ', "P2P/direct pointer", "", false},
      {"Ring 01 : 0[0] -> 1[1] via P2P/IPC", 0, 1, ' ', "P2P/IPC", "", false},
      {"Channel 01/0 : 0[0] -> 1[1] via SHM/direct/direct", 0, 1, ' ', "SHM", "", false},
      {"Channel 01 : 0[1b000] -> 1[1c000] via direct shared memory", 0, 1, ' ', "SHM", "", false},
      {"Channel 01/0 : 3[1] -> 0[0] [receive] via NET/Socket/2", 3, 0, 'r', "NET/Socket", "2", false},
      {"Channel 01/0 : 3[1] -> 0[0] [send] via NET/IB/0(1)/GDRDMA(PCI)/Shared", 3, 0, 's', "NET/IB", "0", true},
      {"Channel 00/0 : 1[1] -> 5[1] [send] via NET/AWS Libfabric/3/GDRDMA", 1, 5, 's', "NET/AWS Libfabric", "3", true},
      {"CollNet 00/0 : 1 [receive] via COLLNET/SHARP/0", 1, 1, 'r', "COLLNET/SHARP", "0", false},
  };
  for (const Edge& e : edges) {
    INFO(e.text);
    const std::string line = std::string("node3:4711:4790 [2] NCCL INFO ") + e.text + "\n";
    const SourceFacts f = Parse(line + line + line);
    REQUIRE(f.connections.size() == 1);
    const ConnectionFacts& c = f.connections[0];
    CHECK(c.from == e.from);
    CHECK(c.to == e.to);
    CHECK(c.direction == e.direction);
    CHECK(f.Str(c.transport) == e.transport);
    CHECK(f.Str(c.device) == e.device);
    CHECK(c.gdr == e.gdr);
    CHECK(c.channels == 3);
    CHECK(c.first.line == 1);
  }
}

std::string Coll(const std::string& name, int count, const std::string& comm = "0x55") {
  return "node3:4711:4790 [2] NCCL INFO " + name + ": opCount 1 sendbuff 0x7f recvbuff 0x7f count " +
         std::to_string(count) + " datatype 7 op 0 root 0 comm " + comm + " [nranks=4] stream 0xf0\n";
}

TEST_CASE("collectives are digested in constant memory", "[parser]") {
  std::string log;
  for (int i = 0; i < 1000; ++i) log += Coll("AllReduce", i);
  const SourceFacts f = Parse(log + Coll("Send", 5) + Coll("AllGather", 7, "0x56"));
  REQUIRE(f.collectives.size() == 2);
  const CollectiveStream& s = f.collectives[0];
  CHECK(s.calls == 1000);
  CHECK(s.p2p_calls == 1);
  CHECK(s.nranks == 4);
  CHECK(s.window.size() == limits::kCollectiveWindow);
  CHECK(s.window[(s.calls - 1) % limits::kCollectiveWindow].count == 999);
  CHECK(s.window[(s.calls - 1) % limits::kCollectiveWindow].line == 1000);
  CHECK(s.checkpoints.size() < limits::kCollectiveCheckpoints);
  CHECK(s.checkpoints.size() == 1000 / s.interval);
  CHECK(s.last.line == 1001);
  // A checkpoint is the hash after so many calls.
  std::string head;
  for (uint64_t i = 0; i < 3 * s.interval; ++i) head += Coll("AllReduce", static_cast<int>(i));
  CHECK(Parse(head).collectives[0].hash == s.checkpoints[2]);
  // Sends do not enter the hash; order, kind and count do.
  CHECK(Parse(Coll("AllReduce", 1) + Coll("Send", 5)).collectives[0].hash ==
        Parse(Coll("AllReduce", 1)).collectives[0].hash);
  CHECK(Parse(Coll("AllReduce", 1) + Coll("AllReduce", 2)).collectives[0].hash !=
        Parse(Coll("AllReduce", 2) + Coll("AllReduce", 1)).collectives[0].hash);
  CHECK(Parse(Coll("AllReduce", 1)).collectives[0].hash != Parse(Coll("AllGather", 1)).collectives[0].hash);
}

TEST_CASE("CALL lines stand in for missing COLL lines, never beside them", "[parser]") {
  const std::string call = "node3:4711:4790 NCCL CALL ncclAllReduce(7f,7f,65536,7,0,0,0x55,0xf0)\n";
  const SourceFacts alone = Parse(call);
  REQUIRE(alone.collectives.size() == 1);
  CHECK(alone.collectives[0].calls == 1);
  CHECK(alone.collectives[0].hash == Parse(Coll("AllReduce", 65536)).collectives[0].hash);
  const SourceFacts both = Parse(Coll("AllReduce", 65536) + call + Coll("AllReduce", 65536) + call);
  REQUIRE(both.collectives.size() == 1);
  CHECK(both.collectives[0].calls == 2);
}

TEST_CASE("every collective is an event when asked for", "[parser]") {
  std::string log;
  for (int i = 0; i < 100; ++i) log += Coll("AllReduce", i);
  CHECK(Parse(log).events.empty());
  const SourceFacts f = Parse(log, nullptr, {.keep_every_collective = true});
  REQUIRE(f.events.size() == 100);
  CHECK(f.Get(f.events[99], FieldId::kCount) == "99");
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

// Lines that repeat are taken many at once where their end is known to be in the same chunk.
TEST_CASE("a COLL line means the same among its like as alone", "[parser]") {
  std::mt19937 random(5);
  const auto any = [&](std::initializer_list<const char*> of) {
    return std::string(of.begin()[std::uniform_int_distribution<size_t>(0, of.size() - 1)(random)]);
  };
  for (int round = 0; round < 40; ++round) {
    const bool odd = round % 2 == 1;  // what is rare is not so rare here
    std::string log;
    for (int i = 0; i < 400; ++i) {
      std::ostringstream line;
      const std::string thread = any({"node3:4711:4790", "node3:4711:4790", "node4:99:101"});
      if (round % 4 > 1 && i % 3 != 0) {  // as with NCCL_DEBUG=TRACE
        const std::string call = thread + " NCCL CALL ";
        const std::string info = thread + " [2] NCCL INFO ";
        log += any({"ncclAllReduce(7f,7f,65536,7,0,0,0x55d3c0,0xf0)", "ncclAllReduce(7f,7f,4096,7,0,0,0x77,0xf0)",
                    "ncclSend(7f,0,65536,7,0,3,0x55d3c0,0xf0)", "ncclAllReduce(7f,7f,65536,7,0,0,0x55d3c0,0xf"})
                   .insert(0, odd && i % 7 == 0 ? info : call) +
               "\n";
        log += info +
               any({"AllReduce: 65536 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..1}",
                    "AllReduce: 4096 Bytes -> Algo \xffRING proto SIMPLE channel{Lo..Hi}={0..1}",
                    "AllReduce: 4096 Bytes -> Algo TREE proto LL channel{Lo..Hi}={0..1}"}) +
               "\n";
        continue;
      }
      const bool other = std::uniform_int_distribution<int>(0, 15)(random) == 0;
      line << (other ? any({"node3:4712:4791 [3] NCCL INFO ", "node3:4711:4790 NCCL CALL ",
                            "[1,0]<stdout>:a1:7:7 [0] NCCL INFO "})
                     : "node3:4711:4790 [2] NCCL INFO ")
           << any({"AllReduce", "AllGather", "AllReduce", "Send", "ReduceScatter", "Put"}) << ": opCount "
           << (odd && other ? any({"0x1f", "(nil)", "", "xyz", "11112222333344445"}) : "") << std::hex << i * 37
           << " sendbuff " << any({"0x7f009c3ac000", "0x7f009c3ac000", "0x7f"}) << " recvbuff "
           << (odd && other ? any({"(nil)", "7f", "0x7g", "0x", "0x7f acc", "0x7f acc 0x"}) : "0x7f009c3ad000")
           << any({"", "", " acc (nil)", " acc 0x7f009c3ae000"}) << " count " << any({"65536", "4096", "65536"})
           << " datatype 7 op 0 root " << any({"0", "0", "3"}) << " comm " << any({"0x55d3c0", "0x55d3c0", "0x66"})
           << any({" [nranks=4]", " [nranks=4]", " [nranks=8]"}) << " stream 0xf0"
           << (odd && other ? any({"\r", " ", "\t", "0", " glued", "\xff", "\rmore", "\n"}) : "") << '\n';
      log += line.str();
    }
    const std::string whole = FactsText(Parse(log));
    Parser parser("test.log", nullptr, nullptr);
    for (size_t at = 0; at < log.size(); at += 100) parser.Push(std::string_view(log).substr(at, 100));
    REQUIRE(FactsText(parser.Finish()) == whole);
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

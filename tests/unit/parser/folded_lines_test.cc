// Lines that are folded into edges and collectives: Channel, COLL and CALL lines.
#include <random>
#include <sstream>
#include <string>

#include "base/limits.h"
#include "catch.h"
#include "facts_text.h"
#include "parser/parse_text.h"

namespace ncclwhy {
namespace {

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

}  // namespace
}  // namespace ncclwhy

// Inputs that are large in one dimension, streamed into the real binary under a memory limit. By default each is a
// tenth or less of what is promised; NCCLWHY_HOSTILE=full runs the whole.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catch.h"
#include "hostile/run_limited.h"

namespace ncclwhy::hostile {
namespace {

constexpr uint64_t kPeak = 256u << 20;

std::string N(uint64_t n) { return std::to_string(n); }
std::string Hex(uint64_t n) {
  char text[24];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(n));
  return text;
}
std::string Init(uint64_t comm, uint64_t rank, uint64_t nranks, uint64_t id) {
  return "NCCL INFO ncclCommInitRank comm 0x" + Hex(comm) + " rank " + N(rank) + " nranks " + N(nranks) +
         " cudaDev 0 nvmlDev 0 busId 1000 commId 0x" + Hex(id) + " - Init START\n";
}

// A million lines that differ in one thing.
struct Million {
  const char* name;
  std::string (*line)(uint64_t i);
  const char* counter;  // what must say that something was only counted; null: nothing need be
};

constexpr const char* kOne = "node1:100:101 [0] ";

const Million kMillions[] = {
    {"hosts", [](uint64_t i) { return "host-" + N(i) + ":100:101 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>\n"; },
     "dropped_processes"},
    {"hosts that warn",
     [](uint64_t i) {
       return "host-" + N(i) + ":" + N(i) + ":1 [0] misc/socket.cc:1 NCCL WARN Connect to 10.0.0.1<" + N(i % 60000) +
              "> failed : Connection refused\n";
     },
     "dropped_processes"},
    {"communicators of one process", [](uint64_t i) { return kOne + Init(i, i % 8, 8, i * 7919); }, "dropped_events"},
    {"communicators of a thousand processes",
     [](uint64_t i) { return "node1:" + N(i % 1000 + 1) + ":1 [0] " + Init(i, i % 8, 8, i * 7919); }, "unlisted"},
    {"communicators that claim to be huge", [](uint64_t i) { return kOne + Init(i, 0, 65536, i); }, nullptr},
    {"ranks",
     [](uint64_t i) { return "node" + N(i / 8) + ":" + N(i % 8 + 100) + ":1 [0] " + Init(0x55d0, i, 1000000, 0x1234); },
     nullptr},
    {"messages",
     [](uint64_t i) {
       return kOne + ("x" + N(i)) + ".cc:" + N(i) + " NCCL WARN something odd number " + N(i * 31337) + "\n";
     },
     "dropped_events"},
    {"exceptions", [](uint64_t i) { return "RuntimeError: thing " + N(i) + " failed with " + N(i * 7) + "\n"; },
     "dropped_events"},
    {"ranks that time out",
     [](uint64_t i) {
       return "[rank" + N(i) + "]:[E416 13:21:26.1 ProcessGroupNCCL.cpp:632] [Rank " + N(i) +
              "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=" + N(i) +
              ", OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600026 milliseconds before "
              "timing "
              "out.\n";
     },
     nullptr},
    {"variables",
     [](uint64_t i) { return kOne + ("NCCL INFO NCCL_VAR_" + N(i)) + " set by environment to " + N(i) + ".\n"; },
     "dropped_events"},
    {"workers", [](uint64_t i) { return "(Worker" + N(i) + " pid=" + N(i) + ", ip=10.1.1.31) hello " + N(i) + "\n"; },
     nullptr},
    {"pods with long names",
     [](uint64_t i) {
       return "{\"log\":\"hello " + N(i) + "\\n\",\"stream\":\"stdout\",\"kubernetes\":{\"pod_name\":\"" +
              std::string(1000, 'y') + N(i) + "\"}}\n";
     },
     nullptr},
    {"collectives",
     [](uint64_t i) {
       return "node1:" + N(i % 1000 + 1) + ":1 [0] NCCL INFO AllReduce: opCount " + Hex(i) +
              " sendbuff 0x7f recvbuff 0x7f count " + N(i) + " datatype 7 op 0 root 0 comm 0x" + Hex(i) +
              " [nranks=4] stream 0x1\n";
     },
     nullptr},
    {"connections",
     [](uint64_t i) {
       return kOne + ("NCCL INFO Channel 00/0 : " + N(i)) + "[0] -> " + N(i + 1) + "[0] [send] via NET/IB/" +
              N(i % 16) + "/GDRDMA\n";
     },
     nullptr},
    {"transports",
     [](uint64_t i) { return kOne + ("NCCL INFO Channel 00/0 : 0[0] -> 1[0] via NET/x" + N(i)) + "/0\n"; }, nullptr},
    {"junk before headers",
     [](uint64_t i) { return "junk" + N(i * 7919) + std::string(100, 'z') + " " + kOne + "NCCL INFO hello\n"; },
     nullptr},
};

void CheckAnswer(const Outcome& o) {
  CAPTURE(o.exit, o.signal, o.err.substr(0, 2000), o.peak_bytes >> 20, o.seconds);
  CHECK(o.signal == 0);
  // 2 is a documented answer only with a sentence about what was left out.
  CHECK((o.exit == 0 || o.exit == 1 || o.exit == 3 || (o.exit == 2 && o.err.rfind("ncclwhy: ", 0) == 0)));
  if (!Sanitized()) CHECK(o.peak_bytes < kPeak);
}

nlohmann::json Report(const Outcome& o) {
  CAPTURE(o.err.substr(0, 2000));
  REQUIRE(o.out.size() == o.out_bytes);
  nlohmann::json report = nlohmann::json::parse(o.out, nullptr, false);
  REQUIRE(report.is_object());
  const nlohmann::json& c = report["coverage"];
  CHECK(c["lines"].get<uint64_t>() ==
        c["nccl"].get<uint64_t>() + c["foreign"].get<uint64_t>() + c["damaged"].get<uint64_t>());
  return report;
}

void Print(const std::string& name, uint64_t n, const Outcome& o) {
  std::printf("%-40s %9llu  exit %2d  %7.1f MB in  %6.1f MB peak  %6.2f s\n", name.c_str(),
              static_cast<unsigned long long>(n), o.exit, static_cast<double>(o.fed_bytes) / 1e6,
              static_cast<double>(o.peak_bytes) / 1e6, o.seconds);
  std::fflush(stdout);
}

TEST_CASE("a million of anything fits in memory and is counted", "[hostile]") {
  const uint64_t n = Full() ? 1'000'000 : 4'000;
  for (const Million& million : kMillions) {
    const Outcome o = RunLimited({"--format", "json", "-"}, [&](const Feed& feed) {
      for (uint64_t i = 0; i < n && feed(million.line(i)); ++i) {
      }
    });
    Print(million.name, n, o);
    CAPTURE(million.name);
    CheckAnswer(o);
    const nlohmann::json report = Report(o);
    CHECK(report["coverage"]["lines"] == n);
    CHECK(report["coverage"]["bytes"] == o.fed_bytes);
    if (million.counter != nullptr && Full()) CHECK(report["coverage"]["notes"].contains(million.counter));
  }
}

// Long inputs without structure: what is fed, and into which class its lines fall.
struct Stream {
  const char* name;
  uint64_t megabytes;  // when full
  std::string block;   // repeated
};

std::string Repeated(const std::string& what, size_t bytes) {
  std::string out;
  while (out.size() + what.size() <= bytes) out += what;
  return out;
}

std::vector<Stream> Streams() {
  constexpr size_t kBlock = 1u << 20;
  constexpr size_t kLine = 65000;
  const auto lines = [](const std::string& what) { return Repeated(Repeated(what, kLine) + "\n", kBlock); };
  std::string random;
  for (uint64_t state = 1; random.size() < kBlock;) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    random += static_cast<char>(state >> 56);
  }
  return {
      {"no newline", 1024, std::string(kBlock, 'x')},
      {"random bytes", 100, random},
      {"NUL bytes", 256, std::string(kBlock, '\0')},
      {"NUL lines", 100, Repeated(std::string("\0\n", 2), kBlock)},
      {"newlines", 100, std::string(kBlock, '\n')},
      {"carriage returns", 100, Repeated("10%\r", kBlock)},
      {"UTF-16", 100,
       Repeated(
           std::string("n\0o\0d\0e\0001\0:\0001\0:\0001\0 \0[\0000\0]\0 \0N\0C\0C\0L\0 \0I\0N\0F\0O\0 \0x\0\n\0", 60),
           kBlock)},
      {"headers in one line", 100, Repeated("node1:100:101 [0] NCCL INFO ", kBlock)},
      {"headers without end", 100, lines("node1:100:101 [0] NCCL INFO ")},
      {"prefixes without end", 100,
       lines("2025-03-01T12:00:00.123456789Z stdout F [1,3]<stdout>:(A pid=1, ip=1.2.3.4) [rank3]: ")},
      {"half headers", 100, lines("a:1:")},
      {"levels without headers", 100, lines(" NCCL WARN")},
      {"torch records", 100, lines("[E ProcessGroupNCCL.cpp:458] ")},
      {"brackets", 100, lines("[([{\"")},
      {"nested JSON", 100, lines("{\"log\":")},
      {"quoted JSON", 100, lines("{\"log\":\"\\\\\\\"")},
      {"colours", 100, lines("\x1b[31m")},
      {"entities", 100, lines("&lt;&#39;")},
      {"time stamps", 100, lines("2025-03-01T12:00:00.123 ")},
  };
}

TEST_CASE("any amount of anything is read in constant memory", "[hostile]") {
  for (const Stream& stream : Streams()) {
    const uint64_t blocks = Full() ? stream.megabytes : Sanitized() ? 1 : std::max<uint64_t>(stream.megabytes / 50, 2);
    const Outcome o = RunLimited({"--format", "json", "-"}, [&](const Feed& feed) {
      for (uint64_t i = 0; i < blocks && feed(stream.block); ++i) {
      }
    });
    Print(stream.name, blocks, o);
    CAPTURE(stream.name);
    CheckAnswer(o);
    // Words such as "NCCL WARN" alone are a warning that nobody knows: 3. What is no text is a named problem: 2.
    CHECK((o.exit == 0 || o.exit == 2 || o.exit == 3));
    const nlohmann::json report = Report(o);
    CHECK(report["coverage"]["bytes"] == o.fed_bytes);
    if (!Sanitized()) CHECK(o.peak_bytes < (64u << 20));
  }
}

TEST_CASE("a report on a truncated flood still names the cause in front of it", "[hostile]") {
  const Outcome o = RunLimited({"--format", "json", "-"}, [](const Feed& feed) {
    feed(
        "node1:100:101 [0] NCCL INFO NCCL version 2.28.9+cuda12.9\n"
        "node1:100:101 [0] misc/shmutils.cc:87 NCCL WARN Error: failed to extend /dev/shm/nccl-abc to 9637892 bytes, "
        "error: No space left on device (28)\n");
    for (uint64_t i = 0; i < 20000; ++i) feed("node1:100:101 [0] x.cc:1 NCCL WARN flood " + N(i) + "\n");
  });
  CheckAnswer(o);
  CHECK(o.exit == 1);
  CHECK(Report(o)["causes"][0]["id"] == "shm.too-small");
}

}  // namespace
}  // namespace ncclwhy::hostile

// Queries of the catalogue on jobs that are large in one dimension: none may be stopped, or a job of that size, or one
// line that claims it, would lose its answer.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "catch.h"
#include "hostile/run_limited.h"

namespace ncclwhy::hostile {
namespace {

constexpr int kWorld = 65536;

std::string N(int n) { return std::to_string(n); }
std::string Hex(int n) {
  char text[16];
  std::snprintf(text, sizeof text, "%x", static_cast<unsigned>(n));
  return text;
}

std::string Header(int rank, int per_host) {
  return "w" + N(rank / per_host) + ":" + N(100 + rank) + ":" + N(100 + rank) + " [" + N(rank % 8) + "] ";
}

std::string Init(int rank, int per_host, int comm, const char* what) {
  return Header(rank, per_host) + "NCCL INFO ncclCommInitRank comm 0x7f7a" + Hex(rank) + " rank " + N(rank) +
         " nranks " + N(kWorld) + " cudaDev " + N(rank % 8) + " nvmlDev 0 busId " + N(rank % 8 + 1) +
         "0000 commId 0x4355" + Hex(comm) + " - Init " + what + "\n";
}

// All that can differ between ranks differs, and addresses of several hosts are the same: what queries about
// differences have to look at.
std::string Busy(int rank, int per_host) {
  const std::string info = Header(rank, per_host) + "NCCL INFO ";
  const std::string address = "10." + N(rank % 200) + "." + N(rank / 200 % 25) + ".7";
  return info + "NCCL version 2." + N(20 + rank % 8) + ".3+cuda12." + N(rank % 5) + "\n" +                 //
         info + "Bootstrap : Using eth" + N(rank % 3) + ":" + address + "<0>\n" +                          //
         info + "NCCL_IB_HCA set by environment to " + N(rank % 7) + ".\n" +                               //
         info + "NCCL_ALGO set by environment to " + N(rank % 5) + ".\n" +                                 //
         info + "NET/IB : Using [0]mlx5_" + N(rank % 9) + ":1/RoCE [RO]; OOB eth0:" + address + "<0>\n" +  //
         Init(rank, per_host, 0, "START") +                                                                //
         info + "Channel 00/0 : " + N(rank) + "[0] -> " + N(rank + 1) + "[0] [send] via NET/IB/0\n" +      //
         Header(rank, per_host) + "misc/socket.cc:1 NCCL WARN Connect to " + address + "<" + N(rank % 60000) +
         "> failed : Connection refused\n" +  //
         "[rank" + N(rank) + "]:[E416 13:21:26.1 ProcessGroupNCCL.cpp:632] [Rank " + N(rank) +
         "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=" + N(rank % 5) +
         ", OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600026 milliseconds before timing "
         "out.\n";
}

struct Shape {
  const char* name;
  int ranks;
  std::string (*line)(int rank);
};

const Shape kShapes[] = {
    {"two ranks of 65,536 are heard", 2, [](int r) { return Init(r, 8, 0, "START"); }},
    {"one rank of 65,536 is not heard", kWorld - 1, [](int r) { return Init(r, 8, 0, "START"); }},
    {"all on one host and on eight devices", kWorld - 1, [](int r) { return Init(r, kWorld, 0, "START"); }},
    {"half of the ranks complete", kWorld,
     [](int r) { return Init(r, 8, 0, "START") + (r % 2 != 0 ? Init(r, 8, 0, "COMPLETE") : ""); }},
    {"two thousand communicators of 65,536", 2000, [](int r) { return Init(r % 8, 8, r, "START"); }},
    {"every rank differs and fails", 8000, [](int r) { return Busy(r, 8); }},
    {"every rank differs and fails on one host", 8000, [](int r) { return Busy(r, kWorld); }},
};

TEST_CASE("no query of the catalogue is stopped by a job's size", "[hostile]") {
  for (const Shape& shape : kShapes) {
    const Outcome o = RunLimited({"--format", "json", "-"}, [&](const Feed& feed) {
      for (int r = 0; r < shape.ranks; ++r) {
        if (!feed(shape.line(r))) return;
      }
    });
    CAPTURE(shape.name, o.exit, o.signal, o.err.substr(0, 2000));
    const nlohmann::json report = nlohmann::json::parse(o.out, nullptr, false);
    REQUIRE(report.is_object());
    for (const nlohmann::json& problem : report["problems"]) {
      CAPTURE(problem.dump());
      CHECK(problem.dump().find("query") == std::string::npos);
    }
    std::printf("%-45s %7d ranks  %6.2f s\n", shape.name, shape.ranks, o.seconds);
  }
}

}  // namespace
}  // namespace ncclwhy::hostile

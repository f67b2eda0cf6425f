#include <string>
#include <vector>

#include "catch.h"
#include "job/rank_in_text.h"
#include "ncclwhy/analyzer.h"

namespace ncclwhy {
namespace {

// "10.0.0.7" is host h7.
struct Complaint {
  int from, to;  // host
};

// `cut`: the host whose log just ends; the others abort.
std::string HostLog(int host, const std::vector<Complaint>& complaints, int cut) {
  const std::string h = std::to_string(host);
  const std::string header = "h" + h + ":70" + h + ":70" + h + " [0] NCCL ";
  std::string log = header + "INFO NCCL version 2.28.9+cuda12.9\n" + header + "INFO Bootstrap: Using eth0:10.0.0." + h +
                    "<0>\n" + header + "INFO ncclCommInitRank comm 0x7f00 rank " + h +
                    " nranks 4 cudaDev 0 nvmlDev 0 busId 1000 commId 0x77 - Init START\n" + header +
                    "INFO ncclCommInitRank comm 0x7f00 rank " + h +
                    " nranks 4 cudaDev 0 nvmlDev 0 busId 1000 commId 0x77 - Init COMPLETE\n";
  for (const Complaint& c : complaints) {
    if (c.from != host) continue;
    log += header + "WARN NET/IB: Got completion from peer 10.0.0." + std::to_string(c.to) +
           "<4242> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0) reqSize=0 vendor_err=129 req_type=Send "
           "hca mlx5_0\n";
  }
  if (host == cut) return log;
  return log + header + "INFO comm 0x7f00 rank " + h + " nranks 4 cudaDev 0 busId 1000 - Abort COMPLETE\n";
}

std::vector<std::string> CulpritHosts(const std::vector<Complaint>& complaints, int cut = -1) {
  const auto analyzer = Analyzer::Create({}).take();
  for (int host = 0; host < 4; ++host) {
    REQUIRE(analyzer->Begin("rank" + std::to_string(host) + ".log").ok());
    REQUIRE(analyzer->Push(HostLog(host, complaints, cut)).ok());
    REQUIRE(analyzer->EndSource().ok());
  }
  const Report report = analyzer->Finish().take();
  std::vector<std::string> hosts;
  for (const Cause& cause : report.causes) {
    if (cause.id != "ib.retry-exceeded") continue;
    for (const Culprit& c : cause.culprits) hosts.push_back(c.host);
  }
  return hosts;
}

using Hosts = std::vector<std::string>;

TEST_CASE("the host that every broken connection has in common is the culprit", "[analyze]") {
  // Its own line names a victim.
  CHECK(CulpritHosts({{0, 3}, {1, 3}, {3, 2}}) == Hosts{"h3"});
  CHECK(CulpritHosts({{3, 2}, {0, 3}, {1, 3}}) == Hosts{"h3"});
}

TEST_CASE("a host that names one and is named by another is the common end", "[analyze]") {
  CHECK(CulpritHosts({{0, 3}, {3, 1}}) == Hosts{"h3"});
}

TEST_CASE("two ends of one connection cannot be told apart: the one that is named comes first", "[analyze]") {
  CHECK(CulpritHosts({{0, 3}}) == Hosts{"h3", "h0"});
  CHECK(CulpritHosts({{0, 3}}, 0) == Hosts{"h3", "h0"});
  CHECK(CulpritHosts({{0, 3}, {3, 0}}).size() == 2);
  CHECK(CulpritHosts({{0, 3}, {1, 2}}).size() == 4);
}

TEST_CASE("a peer whose log just ends is the culprit alone", "[analyze]") {
  CHECK(CulpritHosts({{0, 3}}, 3) == Hosts{"h3"});
}

// One file of all ranks: everybody is told apart by what the line says only.
std::vector<int32_t> CulpritRanks(const std::string& log) {
  const auto analyzer = Analyzer::Create({}).take();
  REQUIRE(analyzer->Begin("job.log").ok());
  REQUIRE(analyzer->Push(log).ok());
  REQUIRE(analyzer->EndSource().ok());
  const Report report = analyzer->Finish().take();
  std::vector<int32_t> ranks;
  if (report.causes.empty()) return ranks;
  for (const Culprit& c : report.causes[0].culprits) ranks.push_back(c.rank);
  return ranks;
}

std::string Waits(const std::vector<int>& ranks, const std::string& first_line) {
  std::string log = first_line + "NCCL version 2.28.9+cuda12.9\n";
  for (const int rank : ranks) {
    log += "WARNING: rank " + std::to_string(rank) + ": still waiting for collective #19 (ALLREDUCE) after 30 s\n";
  }
  return log;
}

TEST_CASE("all ranks but one say that they wait: it is the silent one", "[analyze]") {
  using Ranks = std::vector<int32_t>;
  CHECK(CulpritRanks(Waits({0, 1, 3}, "")) == Ranks{2});
  CHECK(CulpritRanks(Waits({0, 1, 2}, "world_size=4\n")) == Ranks{3});
  CHECK(CulpritRanks(Waits({0, 3}, "world_size=4\n")).empty());
  CHECK(CulpritRanks(Waits({0, 1, 2, 3}, "world_size=4\n")).empty());
}

TEST_CASE("who speaks is not whom the line speaks of", "[analyze]") {
  CHECK(RankInText("[Rank 3] rank 3: loss is nan") == 3);
  CHECK(RankInText(R"({"level": "ERROR", "rank": 0, "msg": "rank 0: no progress"})") == 0);
  CHECK(RankInText("rank 1: waiting for rank 3") == 1);
  CHECK(RankInText("local_rank 2, local rank 2, ranks 2") == -1);
  CHECK(RankInText("rank 1 or rank 2") == -1);
}

TEST_CASE("a program says its host before its rank", "[analyze]") {
  CHECK(HostBeforeRank("[worker-24] rank 2: ncclAllReduce failed at trainer.cc:168") == "worker-24");
  CHECK(HostBeforeRank("gpu-a17: rank 3: failure app.cc:47") == "gpu-a17");
  CHECK(HostBeforeRank("RuntimeError: rank 3: loss is nan").empty());
  CHECK(HostBeforeRank("epoch3: rank 1: done").empty());
  CHECK(HostBeforeRank("[2026-11-22 11:12:19] rank 1: done").empty());
  CHECK(HostBeforeRank("[rank 2] rank 2: x").empty());
}

TEST_CASE("a traceback without a rank is that of the rank which repeats its words", "[analyze]") {
  const std::string words = "CUDA error: uncorrectable ECC error encountered\n";
  const std::string traceback = "RuntimeError: " + words;
  const auto watchdog = [&](int rank) {
    return "[E ProcessGroupNCCL.cpp:916] [Rank " + std::to_string(rank) +
           "] NCCL watchdog thread terminated with exception: " + words;
  };
  CHECK(CulpritRanks(traceback + watchdog(1)) == std::vector<int32_t>{1});
}

// A launcher's command and its line for the worker that failed stand in the file of each node.
TEST_CASE("node's number times workers and local rank are the rank", "[analyze]") {
  const auto analyzer = Analyzer::Create({}).take();
  for (int node = 0; node < 4; ++node) {
    std::string log = "+ torchrun --nnodes 4 --nproc_per_node 8 --node_rank " + std::to_string(node) + " train.py\n";
    log += node == 2 ? "[default5]:RuntimeError: CUDA error: uncorrectable ECC error encountered\n"
                       "E0814 17:26:53.000331 1822 torch/distributed/elastic/multiprocessing/api.py:869] failed "
                       "(exitcode: 1) local_rank: 5 (pid: 1906) of binary: /usr/bin/python\n"
                     : "[default5]:step 3\n";
    REQUIRE(analyzer->Begin("node-" + std::to_string(node) + ".log").ok());
    REQUIRE(analyzer->Push(log).ok());
    REQUIRE(analyzer->EndSource().ok());
  }
  const Report report = analyzer->Finish().take();
  REQUIRE(!report.causes.empty());
  REQUIRE(report.causes[0].culprits.size() == 1);
  CHECK(report.causes[0].culprits[0].rank == 21);
}

}  // namespace
}  // namespace ncclwhy

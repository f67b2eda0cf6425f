// What others say of a host that ended by itself follows from that.
#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "ncclwhy/analyzer.h"

namespace ncclwhy {
namespace {

std::string Header(int host) {
  const std::string h = std::to_string(host);
  return "h" + h + ":70" + h + ":70" + h + " [0] NCCL ";
}

std::string Start(int host) {
  const std::string h = std::to_string(host);
  std::string log = Header(host) + "INFO NCCL version 2.28.9+cuda12.9\n" + Header(host) +
                    "INFO Bootstrap: Using eth0:10.0.0." + h + "<0>\n" + Header(host) +
                    "INFO ncclCommInitRank comm 0x7f00 rank " + h +
                    " nranks 4 cudaDev 0 nvmlDev 0 busId 1000 commId 0x77 - Init COMPLETE\n";
  for (int i = 1; i < 20; ++i) log += "step " + std::to_string(i) + "/1000 loss 2.1\n";
  return log;
}

std::string LosesPeer(int host, int peer) {
  return Header(host) + "WARN NET/IB: Got completion from peer 10.0.0." + std::to_string(peer) +
         "<4242> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0) reqSize=0 vendor_err=129 req_type=Send hca "
         "mlx5_0\n";
}

Report ReportOf(const std::vector<std::string>& logs) {
  const auto analyzer = Analyzer::Create({}).take();
  for (size_t i = 0; i < logs.size(); ++i) {
    REQUIRE(analyzer->Begin("h" + std::to_string(i) + ".log").ok());
    REQUIRE(analyzer->Push(logs[i]).ok());
    REQUIRE(analyzer->EndSource().ok());
  }
  return analyzer->Finish().take();
}

bool CountsRetries(const std::vector<std::string>& logs) {
  const Report report = ReportOf(logs);
  return std::any_of(report.causes.begin(), report.causes.end(),
                     [](const Cause& c) { return c.id == "ib.retry-exceeded"; });
}

std::string FirstCause(const std::vector<std::string>& logs) {
  const Report report = ReportOf(logs);
  CHECK_FALSE(CountsRetries(logs));
  return report.causes.empty() ? "none" : report.causes[0].id;
}

const std::string kRaises =
    "Traceback (most recent call last):\n  File \"/app/main.py\", line 91, in <module>\n    read(shard)\n"
    "RuntimeError: shard 7 has another schema than shard 6\n";

TEST_CASE("retries to a host that ended by itself follow from its end, and so do those of the next", "[analyze]") {
  CHECK(FirstCause({Start(0) + LosesPeer(0, 1), Start(1) + LosesPeer(1, 2), Start(2) + kRaises, Start(3)}) ==
        "app.rank-crashed");
  const std::string lost =
      "slurmstepd: error: *** STEP 7.0 ON h0 CANCELLED AT 2026-03-14T12:28:26 DUE TO NODE FAILURE, "
      "SEE SLURMCTLD LOG FOR DETAILS ***\nsrun: error: Node failure on h2\n";
  CHECK(FirstCause({Start(0) + LosesPeer(0, 2), Start(1) + LosesPeer(1, 2), Start(2), Start(3), lost}) ==
        "stopped.node-failure");
}

TEST_CASE("who complained of a peer itself may have ended of that", "[analyze]") {
  CHECK(CountsRetries({Start(0) + LosesPeer(0, 2), Start(1), Start(2) + LosesPeer(2, 0) + kRaises, Start(3)}));
  // All in one file: they stand before it.
  CHECK(CountsRetries(
      {Start(0) + Start(1) + Start(2) + LosesPeer(0, 2) + LosesPeer(1, 2) + Header(2) + "INFO x\n" + kRaises}));
  // Nobody's retries lead to the one that ended.
  CHECK(CountsRetries({Start(0) + LosesPeer(0, 1), Start(1) + LosesPeer(1, 0), Start(2) + kRaises, Start(3)}));
}

}  // namespace
}  // namespace ncclwhy

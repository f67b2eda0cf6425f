// What would lead a reader astray, and why it is not it.
#include <algorithm>
#include <string>

#include "catch.h"
#include "ncclwhy/analyzer.h"

namespace ncclwhy {
namespace {

std::string NotIt(const std::string& ending) {
  std::string log;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string r = std::to_string(rank);
    log += "h" + r + ":70" + r + ":70" + r + " [0] NCCL INFO ncclCommInitRank comm 0x55d" + r + " rank " + r +
           " nranks 4 cudaDev 0 nvmlDev 0 busId 1b000 commId 0x77 - Init COMPLETE\n";
  }
  for (int i = 1; i < 20; ++i) log += "step " + std::to_string(i) + "/1000 loss 2.1\n";
  log +=
      "[rank2]: Traceback (most recent call last):\n[rank2]:   File \"/app/main.py\", line 91, in <module>\n"
      "[rank2]: RuntimeError: CUDA error: uncorrectable ECC error encountered\n";
  log += ending;
  const auto analyzer = Analyzer::Create({}).take();
  REQUIRE(analyzer->Begin("job.log").ok());
  REQUIRE(analyzer->Push(log).ok());
  REQUIRE(analyzer->EndSource().ok());
  const Report report = analyzer->Finish().take();
  REQUIRE(!report.causes.empty());
  CHECK(report.causes[0].id == "gpu.xid");
  for (const HarmlessLine& line : report.harmless) {
    if (line.why.find("launcher") != std::string::npos) return line.text;
  }
  return {};
}

TEST_CASE("whom a launcher saw end first need not be who began", "[analyze]") {
  const std::string noticed =
      "mpirun noticed that process rank {} with PID 70{} on node h{} exited on signal 6 (Aborted).";
  const auto said = [&](char rank) {
    std::string line = noticed;
    for (size_t at = line.find("{}"); at != std::string::npos; at = line.find("{}")) line.replace(at, 2, 1, rank);
    return line + "\n";
  };
  CHECK(NotIt(said('0')).starts_with("mpirun noticed that process rank 0"));
  CHECK(NotIt(said('2')).empty());
  CHECK(NotIt("").empty());
}

}  // namespace
}  // namespace ncclwhy

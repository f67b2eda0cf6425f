// What a table beside the log says of the blamed host, and of the others.
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "ncclwhy/analyzer.h"

namespace ncclwhy {
namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

Report Answer(const Texts& sources) {
  const auto analyzer = Analyzer::Create({}).take();
  for (const auto& [name, text] : sources) {
    REQUIRE(analyzer->Begin(name).ok());
    REQUIRE(analyzer->Push(text).ok());
    REQUIRE(analyzer->EndSource().ok());
  }
  return analyzer->Finish().take();
}

// The evidence that stands in the table: its line and note.
std::string Odd(const std::string& table) {
  const std::string log =
      "n0421:4101:4120 [0] misc/ibvwrap.cc:301 NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory\n"
      "n0420:4001:4020 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.20<0>\n"
      "n0422:4201:4220 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.22<0>\n";
  const Report report = Answer({{"job.log", log}, {"table.txt", table}});
  REQUIRE(!report.causes.empty());
  std::string out;
  for (const Evidence& e : report.causes[0].evidence) {
    if (e.file == "table.txt") out += std::to_string(e.line) + ": " + e.note + "\n";
  }
  return out;
}

TEST_CASE("the row of the blamed host that differs from all others is evidence", "[analyze]") {
  CHECK(Odd("host   driver     kernel\nn0420  580.82.07  5.15.0-131\nn0421  570.133.20 5.15.0-131\n"
            "n0422  580.82.07  5.15.0-131\n") == "3: on the other 2: 580.82.07\n");
  CHECK(Odd("== n0420\n$ ulimit -l\nunlimited\nLimitMEMLOCK=infinity\n== n0421\n$ ulimit -l\n64\nLimitMEMLOCK=65536\n"
            "== n0422\n$ ulimit -l\nunlimited\nLimitMEMLOCK=infinity\n") ==
        "8: on the other 2: LimitMEMLOCK=infinity\n7: on the other 2: unlimited\n");
}

TEST_CASE("a row that differs from some, or from one alone, is none", "[analyze]") {
  CHECK(Odd("n0420  580.82.07\nn0421  570.133.20\nn0422  575.51.03\n").empty());
  CHECK(Odd("n0420  580.82.07\nn0421  570.133.20\n").empty());
  CHECK(Odd("n0420  580.82.07\nn0421  580.82.07\nn0422  580.82.07\n").empty());
  CHECK(Odd("x1 580.82.07\nx2 570.133.20\nx3 580.82.07\n").empty());
}

TEST_CASE("ranks that only follow are told", "[analyze]") {
  std::string log = "NCCL version 2.27.7+cuda12.9\n";
  for (const char* end : {"Init START", "Init COMPLETE"}) {
    for (int rank = 0; rank < 3; ++rank) {
      const std::string r = std::to_string(rank);
      log += "q" + r + ":50" + r + ":50" + r + " [0] NCCL INFO ncclCommInitRank comm 0x7f" + r + " rank " + r +
             " nranks 3 cudaDev 0 nvmlDev 0 busId 1000 commId 0x91 - " + end + "\n";
    }
  }
  log +=
      "q1:501:533 [0] misc/cudawrap.cc:21 NCCL WARN Cuda failure 214 'uncorrectable ECC error encountered'\n"
      "q0:500:522 [0] misc/socket.cc:915 NCCL WARN socketProgress: Connection closed by remote peer q1<40000>\n"
      "q2:502:544 [0] misc/socket.cc:915 NCCL WARN socketProgress: Connection closed by remote peer q1<40000>\n";
  const Report report = Answer({{"job.log", log}});
  REQUIRE(!report.causes.empty());
  CHECK(report.causes[0].id == "gpu.xid");
  CHECK(report.followers == std::vector<int32_t>{0, 2});
}

}  // namespace
}  // namespace ncclwhy

// What a program said itself as it ended, and that it only fell silent: two sentences of one rule.
#include <string>

#include "catch.h"
#include "ncclwhy/analyzer.h"

namespace ncclwhy {
namespace {

// Four ranks with a file each: three whose own watchdog gave up, and rank 1 with this as its last line.
Report ReportOf(const std::string& last_of_rank_1) {
  const auto analyzer = Analyzer::Create({}).take();
  for (int rank = 0; rank < 4; ++rank) {
    const std::string number = std::to_string(rank);
    const std::string gave_up = "ERROR: rank " + number + ": step watchdog: no progress for 6 s, giving up\n";
    const std::string text = "rank " + number + " of 4\n" + (rank == 1 ? last_of_rank_1 + "\n" : gave_up);
    REQUIRE(analyzer->Append("rank" + number + ".log", text).ok());
  }
  return analyzer->Finish().take();
}

TEST_CASE("the last words of the rank that gave up first are the headline, and choose the fix", "[analyze]") {
  const Report report = ReportOf("ERROR: rank 1: license server did not answer");
  REQUIRE(report.verdict == Verdict::kFailure);
  const Cause& cause = report.causes.at(0);
  CHECK(cause.id == "app.rank-crashed");
  CHECK(cause.summary.starts_with("license server did not answer, rank 1"));
  REQUIRE(cause.culprits.size() == 1);
  CHECK(cause.culprits[0].rank == 1);
  CHECK(cause.fixes.at(0).text.find("whether what it asked answers") != std::string::npos);
}

TEST_CASE("of a rank that only fell silent nobody says that its end is shown", "[analyze]") {
  const Report report = ReportOf("loading model");
  REQUIRE(report.verdict == Verdict::kFailure);
  CHECK(report.causes.at(0).summary.find("fell silent") != std::string::npos);
  CHECK(report.causes.at(0).sure.find("none shows it") != std::string::npos);
}

}  // namespace
}  // namespace ncclwhy

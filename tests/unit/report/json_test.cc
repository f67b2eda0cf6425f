#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "report/renderer.h"
#include "sample_reports.h"
#include "schema_validator.h"

namespace ncclwhy {
namespace {

using nlohmann::json;
using testing::Validate;

json Schema() {
  std::ifstream file(std::string(NCCLWHY_SOURCE_DIR) + "/src/report/report.schema.json");
  REQUIRE(file.good());
  return json::parse(file);
}

json Rendered(const Report& report) { return json::parse(RenderJson(report, {})); }

TEST_CASE("every report is valid under the schema", "[report]") {
  const json schema = Schema();
  const std::pair<const char*, Report> cases[] = {{"failure", testing::FailureReport()},
                                                  {"healthy", testing::HealthyReport()},
                                                  {"undetermined", testing::UndeterminedReport()},
                                                  {"degraded", testing::DegradedReport()},
                                                  {"several jobs", testing::SeveralJobsReport()},
                                                  {"no-nccl", testing::NoNcclReport()},
                                                  {"hostile", testing::HostileReport()},
                                                  {"large", testing::LargeReport(64)},
                                                  {"empty", Report()}};
  for (const auto& [name, report] : cases) {
    CAPTURE(name);
    CHECK(Validate(schema, Rendered(report)) == std::vector<std::string>());
  }
}

TEST_CASE("the schema refuses what is wrong", "[report]") {
  const json schema = Schema();
  const json good = Rendered(testing::FailureReport());
  const auto broken = [&](const char* pointer, const json& value) {
    json bad = good;
    bad[json::json_pointer(pointer)] = value;
    return !Validate(schema, bad).empty();
  };
  CHECK(broken("/schema", "ncclwhy.report/2"));
  CHECK(broken("/verdict", "maybe"));
  CHECK(broken("/causes/0/confidence", 1.5));
  CHECK(broken("/causes/0/id", "Not An Id"));
  CHECK(broken("/causes/0/evidence/0/role", "rumour"));
  CHECK(broken("/causes/0/evidence/0/line", 0));
  CHECK(broken("/job/transports/SHM", "many"));
  CHECK(broken("/outcome", "fine"));
  CHECK(broken("/decision/do", "pray"));
  CHECK(broken("/timeline/0/kind", "later"));
  CHECK(broken("/attempts/0/outcome", "red"));
  CHECK(broken("/candidates/0/title", 5));
  CHECK(broken("/seen_before/0/url", 7));
  CHECK(broken("/seen_before/0/products/nccl", 2));
  json missing = good;
  missing["coverage"].erase("lines");
  CHECK_FALSE(Validate(schema, missing).empty());
}

TEST_CASE("the members of the design stand where it says", "[report]") {
  const json out = Rendered(testing::FailureReport());
  CHECK(out.at("schema") == "ncclwhy.report/1");
  CHECK(out.at("verdict") == "failure");
  CHECK(out.at("exit_status") == 1);
  const json& cause = out.at("causes").at(0);
  CHECK(cause.at("id") == "shm.too-small");
  CHECK(cause.at("confidence") == 0.934);
  CHECK(cause.at("culprits").at(0) == json({{"rank", 3},
                                            {"host", "gpu-a17"},
                                            {"pid", 4242},
                                            {"gpu", 1},
                                            {"why", "the first rank that could not allocate"}}));
  CHECK(cause.at("evidence").at(0).at("line") == 41);
  CHECK_FALSE(cause.at("evidence").at(2).contains("file"));
  CHECK(cause.at("fixes").at(0).at("for") == "docker");
  CHECK(cause.at("confirm") == json::array({"df -h /dev/shm"}));
  CHECK(out.at("consequences").at(0).at("of") == "shm.too-small");
  CHECK(out.at("job").at("communicators").at(0).at("ranks").size() == 4);
  CHECK(out.at("job").at("transports").at("SHM") == 4);
  CHECK(out.at("coverage").at("lines") == 512);
}

TEST_CASE("what became of the job, its attempts, its story and what to do", "[report]") {
  const json out = Rendered(testing::FailureReport());
  CHECK(out.at("outcome") == "failed");
  CHECK(out.at("outcome_evidence").at(0).at("line") == 50);
  CHECK(out.at("progress") == "it ended during initialisation");
  CHECK(out.at("attempts").at(0) == json({{"outcome", "failed"},
                                          {"cause", "net.refused"},
                                          {"file", "rank0.log"},
                                          {"first_line", 1},
                                          {"last_line", 20},
                                          {"sentence", "gpu-a16 refused the connection"}}));
  CHECK(out.at("jobs").empty());
  CHECK(out.at("candidates").at(0).at("tells") == "who may write there");
  CHECK(out.at("decision").at("do") == "fix-first");
  CHECK(out.at("decision").at("hosts") == json::array({"gpu-a17"}));
  CHECK(out.at("timeline").at(2).at("count") == 12);
  CHECK(out.at("causes").at(0).at("fixes_elsewhere").at(0).at("for") == "slurm");
  CHECK(out.at("causes").at(0).at("sure") == "2 independent lines on rank 3, nothing after them went on");
  CHECK(out.at("job").at("environment").at(1).at("value") == "srun");
  CHECK(out.at("seen_before").at(0).at("url") == "https://github.com/example/tool/issues/7");
  CHECK(out.at("seen_before").at(0).at("products").at("nccl") == "2.18.3");
  CHECK_FALSE(Rendered(testing::HealthyReport()).contains("decision"));
  CHECK_FALSE(Rendered(testing::HealthyReport()).contains("seen_before"));
  const json jobs = Rendered(testing::SeveralJobsReport()).at("jobs");
  CHECK(jobs.at(1).at("verdict") == "undetermined");
  CHECK(jobs.at(1).at("exit_status") == 3);
}

TEST_CASE("bytes of a log come out as valid UTF-8", "[report]") {
  const json out = Rendered(testing::HostileReport());
  const std::string text = out.at("causes").at(0).at("evidence").at(0).at("text");
  CHECK(text.find("\\xff\\xfe") != std::string::npos);
  CHECK(text.find(testing::kHtmlAttack) != std::string::npos);  // JSON needs no more than its own quoting
}

TEST_CASE("a confidence that is no number is 0", "[report]") {
  Report report = testing::FailureReport();
  report.causes[0].confidence = std::numeric_limits<double>::quiet_NaN();
  CHECK(Rendered(report).at("causes").at(0).at("confidence") == 0);
}

}  // namespace
}  // namespace ncclwhy

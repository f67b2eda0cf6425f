#include "job/host_names.h"

#include <deque>
#include <string>

#include "catch.h"
#include "job/job_model.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

struct Logs {
  explicit Logs(const std::vector<std::string>& texts) {
    std::vector<const SourceFacts*> views;
    for (const std::string& text : texts) {
      Parser parser(std::to_string(facts.size()) + ".log", nullptr, nullptr, {});
      parser.Push(text);
      views.push_back(&facts.emplace_back(parser.Finish()));
    }
    model = BuildJobModel(views);
  }
  std::deque<SourceFacts> facts;
  JobModel model;
};

const std::string kRank = "node18:5511:5530 [0] NCCL INFO cudaDriverVersion 12040\n";

std::string Kernel(const std::string& host) { return "Apr  1 10:11:05 " + host + " python3[5511]: Killed\n"; }

TEST_CASE("a host under its short and its whole name is one", "[host_names]") {
  const Logs job({kRank, Kernel("node18.hpc.example.org")});
  CHECK(job.model.hosts == std::vector<std::string>{"node18"});
  CHECK(job.model.NameOfHost("node18.hpc.example.org") == "node18");
  REQUIRE(job.model.processes.size() == 1);  // 5511 of both lines
  CHECK(job.model.NameOfHost("node19.hpc.example.org") == "node19.hpc.example.org");
}

TEST_CASE("two whole names with one short name are two hosts, and addresses have no short name", "[host_names]") {
  const Logs pods({kRank, Kernel("node18.job1.svc"), Kernel("node18.job2.svc")});
  CHECK(pods.model.hosts.size() == 3);
  const Logs addresses({"10:5511:5530 [0] NCCL INFO cudaDriverVersion 12040\n", Kernel("10.0.0.18")});
  CHECK(addresses.model.short_names.empty());
}

}  // namespace
}  // namespace ncclwhy

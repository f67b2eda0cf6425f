#include "job/world_ranks.h"

#include <string>
#include <vector>

#include "catch.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

std::string Joins(int pid, int rank, int nranks, const std::string& comm_id) {
  const std::string number = std::to_string(pid);
  return "gx1:" + number + ":" + number + " [0] NCCL INFO ncclCommInitRank comm 0x55" + number + " rank " +
         std::to_string(rank) + " nranks " + std::to_string(nranks) + " cudaDev 0 nvmlDev 0 busId 1000 commId " +
         comm_id + " - Init COMPLETE\n";
}

std::vector<int> Ranks(const std::string& text) {
  Parser parser("log", nullptr, nullptr, {});
  parser.Push(text);
  const SourceFacts facts = parser.Finish();
  std::vector<int> out;
  for (const Process& p : BuildJobModel({&facts}).processes) out.push_back(p.rank);
  return out;
}

TEST_CASE("each run of a job that was started again has its world", "[job]") {
  const std::string first = Joins(11, 0, 2, "0xaa") + Joins(12, 1, 2, "0xaa");
  CHECK(Ranks(first + Joins(21, 0, 2, "0xbb") + Joins(22, 1, 2, "0xbb")) == std::vector<int>{0, 1, 0, 1});
  SECTION("a group of some of them names nobody") {
    CHECK(Ranks(first + Joins(12, 0, 1, "0xcc") + Joins(23, 0, 1, "0xcc")) == std::vector<int>{0, 1, -1});
  }
  SECTION("the largest one counts where a process is in several of its size") {
    CHECK(Ranks(first + Joins(11, 1, 2, "0xdd")) == std::vector<int>{0, 1});
  }
}

TEST_CASE("the line of its timings tells the rank of a process of which an excerpt has no other", "[job]") {
  const std::string timings = "gx1:31:31 [1] NCCL INFO Init timings - ncclCommInitRank: rank 1 nranks 2 total 1.57\n";
  CHECK(Ranks(Joins(11, 0, 2, "0xaa") + timings) == std::vector<int>{0, 1});
  // Of a smaller communicator it is no rank of the job.
  CHECK(Ranks(Joins(11, 0, 4, "0xaa") + timings) == std::vector<int>{0, -1});
}

TEST_CASE("a rank that comes twice without an id is of two communicators", "[job]") {
  const auto clipped = [](int pid, int rank) {
    const std::string line = Joins(pid, rank, 2, "0xaa");
    return line.substr(0, line.find(" commId")) + " - Init COMPLETE\n";
  };
  Parser parser("log", nullptr, nullptr, {});
  parser.Push(clipped(11, 0) + clipped(12, 1) + clipped(13, 0) + clipped(14, 1));
  const SourceFacts facts = parser.Finish();
  const JobModel model = BuildJobModel({&facts});
  REQUIRE(model.communicators.size() == 2);
  CHECK(model.communicators[0].ranks.size() == 2);
  CHECK(model.communicators[1].ranks.size() == 2);
}

}  // namespace
}  // namespace ncclwhy

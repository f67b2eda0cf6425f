#include "job/job_groups.h"

#include <deque>
#include <string>
#include <vector>

#include "catch.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

// `commId` is left out before 2.18.
std::string Init(const std::string& host, int pid, int rank, int nranks, const std::string& comm_id = "") {
  const std::string header =
      host + ":" + std::to_string(pid) + ":" + std::to_string(pid) + " [" + std::to_string(rank) + "] NCCL INFO ";
  const std::string what = "comm 0x55" + std::to_string(pid) + " rank " + std::to_string(rank) + " nranks " +
                           std::to_string(nranks) + " cudaDev 0 busId 1000";
  return header + (comm_id.empty() ? what + " - Init COMPLETE\n"
                                   : "ncclCommInitRank " + what + " commId " + comm_id + " - Init COMPLETE\n");
}

// The job of each process, by order of first appearance.
std::vector<int> Jobs(const std::vector<std::string>& sources) {
  std::deque<SourceFacts> facts;
  std::vector<const SourceFacts*> views;
  for (size_t i = 0; i < sources.size(); ++i) {
    Parser parser("log" + std::to_string(i), nullptr, nullptr, {});
    parser.Push(sources[i]);
    views.push_back(&facts.emplace_back(parser.Finish()));
  }
  std::vector<int> jobs;
  for (const Process& p : BuildJobModel(views).processes) jobs.push_back(p.job);
  return jobs;
}

TEST_CASE("one job has no number", "[parser][track]") {
  CHECK(Jobs({Init("a", 1, 0, 2, "0xaa"), Init("b", 2, 1, 2, "0xaa")}) == std::vector<int>{-1, -1});
}

TEST_CASE("two runs in two files are two jobs", "[parser][track]") {
  const std::string first = Init("a", 1, 0, 2, "0xaa") + Init("b", 2, 1, 2, "0xaa");
  const std::string second = Init("a", 11, 0, 2, "0xbb") + Init("b", 12, 1, 2, "0xbb");
  CHECK(Jobs({first, second}) == std::vector<int>{0, 0, 1, 1});
  SECTION("in one file they cannot be told apart") { CHECK(Jobs({first + second}) == std::vector<int>(4, -1)); }
  SECTION("a shared communicator joins them") {
    const std::string world = Init("a", 1, 0, 4, "0xcc") + Init("a", 11, 1, 4, "0xcc");
    CHECK(Jobs({first, second, world}) == std::vector<int>(4, -1));
  }
}

TEST_CASE("without a commId", "[parser][track]") {
  SECTION("files with other ranks of the same size are one job") {
    CHECK(Jobs({Init("a", 1, 0, 2), Init("b", 2, 1, 2)}) == std::vector<int>{-1, -1});
  }
  SECTION("communicators of one size in two runs do not join them") {
    const std::string world = Init("a", 1, 0, 4) + Init("a", 2, 1, 4) + Init("b", 3, 2, 4) + Init("b", 4, 3, 4);
    const std::string node = Init("a", 1, 0, 2) + Init("a", 2, 1, 2);
    const std::string other = Init("c", 9, 0, 2) + Init("c", 10, 1, 2);
    CHECK(Jobs({world + node, other}) == std::vector<int>{0, 0, 0, 0, 1, 1});
  }
}

}  // namespace
}  // namespace ncclwhy

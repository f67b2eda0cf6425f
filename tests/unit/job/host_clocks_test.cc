#include "job/host_clocks.h"

#include <cmath>
#include <deque>
#include <string>
#include <vector>

#include "catch.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

// One rank on each host: the time of its Init START and COMPLETE.
struct RankStart {
  std::string host, start, end;
  int rank = -1;  // -1: its place in the list
};

std::vector<std::string> ClocksOf(const std::vector<RankStart>& lives) {
  std::deque<SourceFacts> facts;
  std::vector<const SourceFacts*> views;
  for (size_t i = 0; i < lives.size(); ++i) {
    const RankStart& life = lives[i];
    const std::string number = life.rank < 0 ? std::to_string(i) : std::to_string(life.rank);
    const std::string pid = std::to_string(100 + i);
    const auto line = [&](const std::string& time, const std::string& what) {
      return time + (time.empty() ? "" : " ") + life.host + ":" + pid + ":" + pid +
             " [0] NCCL INFO ncclCommInitRank comm 0x55" + pid + " rank " + number + " nranks " +
             std::to_string(lives.size()) + " cudaDev 0 nvmlDev 0 busId 1000 commId 0xaa - Init " + what + "\n";
    };
    Parser parser("log" + std::to_string(i), nullptr, nullptr, {});
    parser.Push(line(life.start, "START") + line(life.end, "COMPLETE"));
    views.push_back(&facts.emplace_back(parser.Finish()));
  }
  const JobModel model = BuildJobModel(views);
  std::vector<std::string> out;
  const HostClocks clocks = AlignClocks(model);
  for (const HostClock& c : clocks.measured) {
    const auto milliseconds = [](double s) { return std::to_string(std::lround(s * 1000)); };
    out.push_back(std::string(c.host) + " " + milliseconds(c.ahead) + " +- " + milliseconds(c.error) +
                  (c.apart() ? " apart" : ""));
  }
  for (const std::string_view host : clocks.contrary) out.push_back(std::string(host) + " contrary");
  return out;
}

using Texts = std::vector<std::string>;

TEST_CASE("clocks of hosts are aligned by what both have seen", "[clock]") {
  // n2 is 40 s ahead: its start cannot be behind n1's end, nor n1's start behind n2's end.
  CHECK(ClocksOf({{"n1", "2025-03-12 10:11:12.000", "2025-03-12 10:11:13.000"},
                  {"n2", "2025-03-12 10:11:52.200", "2025-03-12 10:11:53.100"}}) ==
        Texts{"n1 0 +- 0", "n2 40150 +- 951 apart"});
  // Whole seconds leave more open.
  CHECK(ClocksOf({{"n1", "2025-03-12 10:11:12", "2025-03-12 10:11:13"},
                  {"n2", "2025-03-12 10:11:12", "2025-03-12 10:11:13"}}) == Texts{"n1 0 +- 0", "n2 0 +- 2000"});
}

TEST_CASE("the clock that most do not agree with is the odd one", "[clock]") {
  CHECK(ClocksOf({{"n1", "2025-03-12 10:11:52.000", "2025-03-12 10:11:53.000"},
                  {"n2", "2025-03-12 10:11:12.000", "2025-03-12 10:11:13.000"},
                  {"n3", "2025-03-12 10:11:12.000", "2025-03-12 10:11:13.000"}}) ==
        Texts{"n3 0 +- 0", "n1 40000 +- 1001 apart", "n2 0 +- 1001"});
}

TEST_CASE("stamps without a date may have midnight between them", "[clock]") {
  CHECK(ClocksOf({{"n1", "23:59:59.500", "00:00:00.500"}, {"n2", "23:59:59.600", "00:00:00.600"}}) ==
        Texts{"n1 0 +- 0", "n2 100 +- 1001"});
}

TEST_CASE("stamps of another form are not compared", "[clock]") {
  CHECK(ClocksOf({{"n1", "2025-03-12 10:11:12.000", "2025-03-12 10:11:13.000"}, {"n2", "10:11:12.000", "10:11:13.000"}})
            .empty());
}

TEST_CASE("two processes that claim one rank tell nothing of clocks", "[clock]") {
  CHECK(ClocksOf({{"n1", "2025-03-12 10:11:12.000", "2025-03-12 10:11:13.000"},
                  {"n2", "2025-03-12 10:11:12.000", "2025-03-12 10:11:13.000", 1},
                  {"n2", "2025-03-12 10:19:12.000", "2025-03-12 10:19:13.000", 1}})
            .empty());
}

TEST_CASE("without stamps, with one host, or against sense clocks are not aligned", "[clock]") {
  CHECK(ClocksOf({{"n1", "", ""}, {"n2", "", ""}}).empty());
  CHECK(ClocksOf({{"n1", "2025-03-12 10:11:12", "2025-03-12 10:11:13"},
                  {"n1", "2025-03-12 10:11:12", "2025-03-12 10:11:13"}})
            .empty());
  CHECK(ClocksOf({{"n1", "2025-03-12 10:11:12.000", "2025-03-12 10:11:12.100"},
                  {"n2", "2025-03-12 10:11:52.900", "2025-03-12 10:11:52.100"}}) == Texts{"n2 contrary"});
}

}  // namespace
}  // namespace ncclwhy

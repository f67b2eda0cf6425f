#include "job/gpu_load.h"

#include <fmt/format.h>

#include <string>

#include "catch.h"
#include "parser/parser.h"

namespace ncclwhy {
namespace {

SourceFacts Facts(const std::string& name, const std::string& text) {
  Parser parser(name, nullptr, nullptr);
  parser.Push(text);
  SourceFacts facts = parser.Finish();
  if (facts.counters.Get(Counter::kNccl) > 0) return facts;
  uint32_t number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    facts.rows.push_back({++number, facts.strings.Intern(std::string_view(text).substr(at, end - at))});
    at = end + 1;
  }
  return facts;
}

// Forty steps from 10:00:03 to 10:02:00.
std::string Log() {
  std::string text = "n1:7:9 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>\n";
  for (int i = 1; i <= 40; ++i)
    text += fmt::format("2026-03-01 10:{:02}:{:02} step {}/400\n", i * 3 / 60, i * 3 % 60, i);
  return text;
}

bool Stands(const std::string& table) {
  const SourceFacts log = Facts("job.log", Log()), side = Facts("smi.txt", table);
  return BusyBesideSilence(BuildJobModel({&log, &side})).has_value();
}

std::vector<GpuLoad> Loads(const std::string& table) {
  static SourceFacts side;
  side = Facts("smi.txt", table);
  return GpuLoadsIn(BuildJobModel({&side}), SourceId{0});
}

const std::string kTable =
    "|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |\n"
    "| N/A   34C    P0              92W / 400W |  71225MiB / 81920MiB |    100%      Default |\n"
    "|   1  NVIDIA A100-SXM4-80GB          On  | 00000000:0B:00.0 Off |                    0 |\n"
    "| N/A   31C    P0              61W / 400W |   4225MiB / 81920MiB |      0%      Default |\n";

TEST_CASE("loads are read from every form in which nvidia-smi answers", "[gpu]") {
  const std::vector<GpuLoad> table = Loads(kTable);
  REQUIRE(table.size() == 2);
  CHECK((table[0].gpu == 0 && table[0].busy == 100 && table[0].watts == 92 && table[0].most_watts == 400));
  CHECK((table[1].gpu == 1 && table[1].busy == 0));
  const std::vector<GpuLoad> csv =
      Loads("index, utilization.gpu [%], power.draw [W]\n0, 100 %, 85.6 W\n1, 3 %, 60.0 W\n");
  REQUIRE(csv.size() == 2);
  CHECK((csv[1].gpu == 1 && csv[1].busy == 3 && csv[1].watts == 60));
  const std::vector<GpuLoad> labelled = Loads("mesa1: 0, 100 %, 96.33 W\nmesa2: 0, 99 %, 90.00 W\n");
  REQUIRE(labelled.size() == 2);
  CHECK((labelled[1].busy == 99 && labelled[1].watts == 90));
  const std::vector<GpuLoad> line = Loads("of node 1\n0, 0 % 1, 100 % 2, 97 %\n");
  REQUIRE(line.size() == 3);
  CHECK((line[2].gpu == 2 && line[2].busy == 97));
  CHECK(Loads("loss, 3.2\nepoch 4, 100% done\n").empty());
  CHECK(Loads("| a | b |\n||||\n|,%|%|%|\n, , %\n0,%\n").empty());
}

TEST_CASE("a job stands whose GPUs are busy long after its last word, or spin, or wait for an idle one", "[gpu]") {
  const std::string full = "0, 100 %, 300 W\n1, 100 %, 310 W\n";
  CHECK(Stands("Sun Mar  1 11:30:00 2026\n" + full));
  SECTION("not at once: a step may take its time") { CHECK_FALSE(Stands("Sun Mar  1 10:04:00 2026\n" + full)); }
  SECTION("not where the log goes on behind it") { CHECK_FALSE(Stands("Sun Mar  1 09:59:00 2026\n" + full)); }
  SECTION("not without any time") { CHECK_FALSE(Stands("of node 1\n" + full)); }
  SECTION("not where they work hard") {
    CHECK_FALSE(
        Stands("Sun Mar  1 11:30:00 2026\nindex, utilization.gpu [%], power.draw [W], power.limit [W]\n"
               "0, 100 %, 612 W, 700 W\n1, 100 %, 640 W, 700 W\n"));
  }
  SECTION("sooner where they take little power; but small batches are served so, too") {
    const std::string spins =
        "index, utilization.gpu [%], power.draw [W], power.limit [W]\n0, 100 %, 112 W, 700 W\n1, 100 %, 118 W, 700 W\n";
    CHECK(Stands("Sun Mar  1 10:05:00 2026\n" + spins));
    CHECK_FALSE(Stands("Sun Mar  1 10:02:10 2026\n" + spins));
    CHECK_FALSE(Stands(spins));
  }
  SECTION("sooner beside one that does nothing; but it may be nobody's") {
    CHECK(Stands("2026-03-01 10:05:00\n0, 0 %\n1, 100 %\n2, 100 %\n"));
    CHECK_FALSE(Stands("2026-03-01 10:02:10\n0, 0 %\n1, 100 %\n2, 100 %\n"));
    CHECK_FALSE(Stands("of node 1\n0, 0 %\n1, 100 %\n2, 100 %\n"));
    CHECK_FALSE(Stands("2026-03-01 10:05:00\n0, 40 %\n1, 100 %\n2, 100 %\n"));
  }
}

}  // namespace
}  // namespace ncclwhy

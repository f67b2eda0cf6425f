// Lines that are known by their letters, when a digit matters all the same.
#include <string>

#include "catch.h"
#include "parse_text.h"

namespace ncclwhy {
namespace {

std::string LastText(const std::string& before, const std::string& line) {
  CollectLines sink;
  Parse(before + line + "\n", &sink);
  return sink.lines.empty() ? "" : sink.lines.back().text;
}

std::string Times(int n, const std::string& line) {
  std::string out;
  for (int i = 0; i < n; ++i) out += line + "\n";
  return out;
}

TEST_CASE("a line is stripped as if no other line with its letters had come before", "[parser]") {
  const auto same = [](const std::string& known, const std::string& line) {
    INFO(known << "  then  " << line);
    CHECK(LastText(Times(5, known), line) == LastText(Times(5, "a line of another kind"), line));
  };
  same("[node07]: loading shard", "[node17]: loading shard");
  same("[role0]: loading shard", "[role9]: loading shard");
  same("2764579611.198400 loading shard", "1764579611.198400 loading shard");
  same("[2764579611.198400] loading shard", "[1764579611.198400] loading shard");
  same("[2m loading shard 12 of 40", "[0m loading shard 12 of 40");
  same("a&#66;c loading", "a&#38;c loading");
  same("[3,5] loading shard", "[3,3] loading shard");
  same("[gpu07:0:4:4] ib_mlx5_log.c:179  retries", "[gpu07:8:4:4] ib_mlx5_log.c:179  retries");
  same("2026-03-01 10:00:00,123 loading shard 3", "2026-03-02 11:10:05,999 loading shard 4");
  same("[2026-03-01 10:00:00] 第 3 步", "[2026-03-02 11:10:05] 第 4 步");
  same("Training:  12%|##   | 12/100", "Training:  97%|##   | 97/100");
}

TEST_CASE("a host in front of a record is told by its number", "[parser]") {
  const std::string said = ": 2026-03-01 10:00:00,123 loading shard\n";
  CHECK(LastText("worker-3" + said + "worker-4" + said + "worker-5" + said,
                 "worker-3: 2026-03-01 10:00:00,123 loading") == "loading");
  CHECK(LastText("worker-3" + said + "worker-4" + said + "worker-5" + said + "worker-6" + said + "worker-3" + said,
                 "worker-7: loading shard") == "worker-7: loading shard");
}

TEST_CASE("what is wrong with the bytes of a line is counted each time", "[parser]") {
  CHECK(Count(Parse(Times(6, "loading \xFF shard 3")), Counter::kInvalidUtf8) == 6);
  CHECK(Count(Parse(Times(6, "loading \x01\x02\x03\x01\x02\x03 3")), Counter::kBinaryLines) == 6);
  CHECK(Count(Parse(Times(6, "步 3 损失")), Counter::kInvalidUtf8) == 0);
}

TEST_CASE("a line with a known text behind a label is whose the label says", "[parser]") {
  CollectLines sink;
  std::string text;
  for (int i = 0; i < 24; ++i)
    text += "[rank" + std::to_string(i % 4) + "]: step " + std::to_string(10 + i) + " done\n";
  const SourceFacts facts = Parse(text, &sink);
  REQUIRE(sink.lines.size() == 24);
  for (size_t i = 4; i < sink.lines.size(); ++i) CHECK(sink.lines[i].process == sink.lines[i - 4].process);
  CHECK(sink.lines[0].process != sink.lines[1].process);
}

}  // namespace
}  // namespace ncclwhy

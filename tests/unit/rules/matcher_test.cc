#include "rules/engine/matcher.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/limits.h"
#include "catch.h"
#include "fake_job.h"

namespace ncclwhy {
namespace {

TEST_CASE("level, dialect and file must hold besides the text", "[rules]") {
  const auto rules =
      RulesOf({{"r", R"("role":"root","match":[{"literal":"went wrong","regex":"(?P<function>\\w+) went wrong",
      "level":["WARN"],"dialect":["nccl"],"file":"socket.cc"}])"}});
  struct Case {
    FakeLine line;
    size_t hits;
  };
  const std::vector<Case> cases = {
      {{"it went wrong", 0, LogLevel::kWarn, "misc/socket.cc"}, 1},
      {{"it went wrong", 0, LogLevel::kWarn, "socket.cc"}, 1},
      {{"it went wrong", 0, LogLevel::kWarn, "/build/nccl/src/misc/socket.cc"}, 1},
      {{"it went wrong", 0, LogLevel::kWarn, "misc/ipcsocket.cc"}, 0},
      {{"it went wrong", 0, LogLevel::kWarn, ""}, 0},
      {{"it went wrong", 0, LogLevel::kInfo, "misc/socket.cc"}, 0},
      {{"it went wrong", 0, LogLevel::kWarn, "misc/socket.cc", Dialect::kPython}, 0},
      {{"it went wro", 0, LogLevel::kWarn, "misc/socket.cc"}, 0},
      {{" went wrong", 0, LogLevel::kWarn, "misc/socket.cc"}, 0},
  };
  for (const Case& c : cases) {
    FakeJob job(*rules);
    job.AddSource("a.log", {c.line});
    INFO(c.line.body << " in " << c.line.file);
    REQUIRE(job.hits(0).hits.size() == c.hits);
    if (c.hits == 0) continue;
    const Hit& hit = job.hits(0).hits[0];
    CHECK(hit.line == 1);
    CHECK(job.facts(0).Str(hit.text) == c.line.body);
    REQUIRE(hit.captures.size() == 1);
    CHECK(job.facts(0).Str(hit.captures[0].first) == "function");
    CHECK(job.facts(0).Str(hit.captures[0].second) == "it");
  }
}

// Among lines that differ in their digits alone, those that a rule asks for are found all the same.
TEST_CASE("digits that a rule asks for", "[rules]") {
  const auto rules =
      RulesOf({{"literal", R"("role":"root","match":[{"literal":"status 12"}])"},
               {"regex", R"("role":"root","match":[{"literal":"status","regex":"status (?:7|12)\\b"}])"},
               {"either", R"("role":"root","match":[{"literal":["status 7","call 31"],"regex":"\\d\\d"}])"},
               {"any", R"("role":"root","match":[{"literal":"call","regex":"call \\d+"}])"}});
  std::vector<FakeLine> lines;
  std::vector<std::string> bodies;
  for (int i = 0; i < 400; ++i) {
    bodies.push_back("call " + std::to_string(10 + i % 90) + " ended with status " + std::to_string(10 + i % 7));
    if (i % 3 == 0)
      bodies.push_back("call " + std::to_string(10 + i % 50) + " ended with status " + std::to_string(5 + i % 4));
  }
  for (const std::string& body : bodies) lines.push_back({body, 0});
  FakeJob job(*rules);
  job.AddSource("a.log", lines);
  const auto count = [&](auto asked) {
    return static_cast<uint64_t>(std::count_if(bodies.begin(), bodies.end(), asked));
  };
  const auto holds = [](const std::string& body, const char* text) { return body.find(text) != std::string::npos; };
  const uint64_t twelve = count([&](const std::string& b) { return holds(b, "status 12"); });
  const uint64_t seven = count([&](const std::string& b) { return b.ends_with("status 7"); });
  const uint64_t either = count([&](const std::string& b) { return holds(b, "status 7") || holds(b, "call 31"); });
  std::vector<uint64_t> found(4);
  for (const Hit& hit : job.hits(0).hits) found[hit.pattern] += 1 + hit.repeats;
  // By their ids.
  CHECK(found == std::vector<uint64_t>{bodies.size(), either, twelve, twelve + seven});
}

TEST_CASE("repeated hits are kept up to the limit and then counted", "[rules]") {
  const auto rules = RulesOf({{"r", R"("role":"root","match":[{"literal":"again"}])"}});
  FakeJob job(*rules);
  std::vector<FakeLine> lines(limits::kHitsPerPatternAndProcess + 5, FakeLine{"again and again", 0});
  lines.push_back({"again, from another process", 1});
  job.AddSource("a.log", lines);
  const auto& hits = job.hits(0).hits;
  REQUIRE(hits.size() == limits::kHitsPerPatternAndProcess + 2);
  const Hit& latest = hits[limits::kHitsPerPatternAndProcess];  // only its place is kept, the others with it
  CHECK(latest.line == limits::kHitsPerPatternAndProcess + 5);
  CHECK(!latest.text.valid());
  CHECK(latest.repeats == 4);
  CHECK(hits.back().process == 1);
  CHECK(job.facts(0).counters.Get(Counter::kDroppedHits) == 4);
}

TEST_CASE("a condition that counts lines sees every line", "[rules]") {
  const auto rules = RulesOf({{"r", R"("role":"root","match":[{"literal":"failed"}],
      "unless":[{"literal":"retrying","within":1}])"}});
  FakeJob job(*rules);
  std::vector<FakeLine> lines(100, FakeLine{"retrying", 0});
  lines.push_back({"failed", 0});
  job.AddProcess("h", 1, 0);
  job.AddSource("a.log", lines);
  CHECK(job.Resolve().empty());
}

// "failed, retrying" is asked for "retrying"; the other thousand lines with that word are not.
TEST_CASE("a condition on the same line is recorded where a pattern of its rule matched", "[rules]") {
  const auto rules = RulesOf({{"r", R"("role":"root","match":[{"literal":"send failed on the link"}],
      "unless":[{"literal":"retrying","scope":"line"}])"}});
  const std::vector<FakeLine> lines = {{"retrying", 0},
                                       {"send failed on the link", 0},
                                       {"send failed on the link, retrying", 0},
                                       {"retrying on port 1 of mlx5_0 towards 10.0.0.7: send failed on the li...", 0},
                                       {"retrying on port 1 of mlx5_0 towards 10.0.0.7: recv failed on the li...", 0}};
  FakeJob job(*rules);
  job.AddSource("a.log", lines);
  std::vector<std::pair<uint64_t, bool>> seen;  // line, whether of the condition
  for (const Hit& hit : job.hits(0).hits) seen.emplace_back(hit.line, rules->RuleOf(hit) == nullptr);
  std::sort(seen.begin(), seen.end());
  CHECK(seen == std::vector<std::pair<uint64_t, bool>>{{2, false}, {3, false}, {3, true}, {4, false}, {4, true}});
}

TEST_CASE("a line of any bytes is matched", "[rules]") {
  const auto rules =
      RulesOf({{"r", R"("role":"root","match":[{"literal":"device","regex":"device (?P<device>.+) gone"}])"}});
  FakeJob job(*rules);
  job.AddSource("a.log", {{"device \xFF\xFE\x80 gone"}, {std::string_view("device a\0b gone", 15)}});
  REQUIRE(job.hits(0).hits.size() == 2);
  CHECK(job.facts(0).Str(job.hits(0).hits[0].captures[0].second) == "\xFF\xFE\x80");
}

TEST_CASE("long lines are clipped in the evidence, not in the match", "[rules]") {
  const auto rules = RulesOf({{"r", R"("role":"root","match":[{"literal":"the end","regex":"the end$"}])"}});
  FakeJob job(*rules);
  const std::string line = std::string(10000, 'x') + "the end";
  job.AddSource("a.log", {{line}});
  REQUIRE(job.hits(0).hits.size() == 1);
  CHECK(job.facts(0).Str(job.hits(0).hits[0].text).size() == limits::kEvidenceText);
}

}  // namespace
}  // namespace ncclwhy

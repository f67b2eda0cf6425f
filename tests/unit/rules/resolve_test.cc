#include "rules/engine/resolve.h"

#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "fake_job.h"

namespace ncclwhy {
namespace {

constexpr const char* kMain = R"("role":"root","causes":{"c":2},"match":[{"literal":"main"}])";

// Two hosts with two processes each, one file per host: processes 0 and 1 on a, 2 and 3 on b; ranks 0..3;
// 0 and 2 also share a communicator of their own.
void Fill(FakeJob& job, const std::vector<FakeLine>& a, const std::vector<FakeLine>& b = {}) {
  for (int i = 0; i < 4; ++i) job.AddProcess(i < 2 ? "a" : "b", 100 + i, i);
  job.AddCommunicator({0, 1, 2, 3});
  job.AddSource("a.log", a);
  job.AddSource("b.log", b);
}

TEST_CASE("conditions look as far as their scope", "[rules]") {
  // main stands on line 3 of a.log, written by process 0; other stands where the case says.
  struct Case {
    std::string condition;
    bool other_in_b;
    size_t other_line;  // 1-based
    uint32_t other_process;
    bool holds;
  };
  const std::vector<Case> cases = {
      {R"("scope":"process")", false, 9, 0, true},
      {R"("scope":"process")", false, 9, 1, false},
      {R"("scope":"process")", true, 1, 0, true},  // the same process in another file
      {R"("scope":"rank")", false, 9, 0, true},
      {R"("scope":"rank")", false, 9, 1, false},
      {R"("scope":"communicator")", true, 1, 3, true},
      {R"("scope":"host")", false, 9, 1, true},
      {R"("scope":"host")", true, 1, 2, false},
      {R"("scope":"source")", false, 9, 3, true},
      {R"("scope":"source")", true, 1, 0, false},
      {R"("scope":"job")", true, 1, 3, true},
      {R"("scope":"line")", false, 3, 0, false},
      {R"("scope":"line","within":2)", false, 5, 1, true},
      {R"("scope":"line","within":2)", false, 6, 1, false},
      {R"("scope":"line","within":2)", false, 1, 1, true},
      {R"("within":2)", false, 5, 0, true},
      {R"("within":2)", false, 5, 1, false},
      {R"("order":"before")", false, 1, 0, true},
      {R"("order":"before")", false, 9, 0, false},
      {R"("order":"after")", false, 9, 0, true},
      {R"("order":"after")", false, 1, 0, false},
      {R"("scope":"job","order":"after")", true, 9, 0, false},  // no order between files
      {R"("scope":"source","order":"after","within":6)", false, 9, 3, true},
      {R"("scope":"source","order":"after","within":5)", false, 9, 3, false},
  };
  for (const Case& c : cases) {
    const std::string other = R"([{"literal":"other",)" + c.condition + "}]";
    const auto rules = RulesOf({{"near", kMain + std::string(R"(,"near":)") + other},
                                {"unless", kMain + std::string(R"(,"unless":)") + other}});
    std::vector<FakeLine> a(10, FakeLine{"nothing", 0});
    std::vector<FakeLine> b = a;
    a[2] = {"main", 0};
    if (!(c.condition == R"("scope":"line")")) (c.other_in_b ? b : a)[c.other_line - 1] = {"other", c.other_process};
    FakeJob job(*rules);
    Fill(job, a, b);
    const auto findings = job.Resolve();
    INFO(c.condition << " line " << c.other_line << " process " << c.other_process << " in b " << c.other_in_b);
    REQUIRE(findings.size() == 1);
    CHECK(rules->rule(findings[0].rule).id == (c.holds ? "near" : "unless"));
  }
}

TEST_CASE("a finding says where, who and how often", "[rules]") {
  const auto rules = RulesOf({{"r", R"x("role":"symptom","causes":{"c":2},"fields":{"limit":"ulimit {size}"},
      "match":[{"literal":"main","regex":"main (?:(?P<size>\\d+))?"}],
      "near":[{"literal":"because","regex":"because (?P<errno_text>.+)","within":1}],
      "boost":[{"literal":"surely","causes":{"c":1.5,"d":1}},{"literal":"never there","causes":{"c":-4}}])x"}});
  FakeJob job(*rules);
  Fill(job, {{"main ", 1}, {"because no space", 1}, {"main 42", 1}, {"main 43", 0}, {"surely", 1}});
  const auto findings = job.Resolve();
  REQUIRE(findings.size() == 1);  // process 0 has no "because"
  const Finding& f = findings[0];
  CHECK(f.role == Role::kSymptom);
  CHECK(f.source == SourceId{0});
  CHECK(f.line == 1);
  CHECK(f.offset == 100);
  CHECK(f.text == "main ");
  CHECK(f.repeats == 1);
  CHECK(f.process == ProcessId{1});
  CHECK(f.rank == 1);
  CHECK(f.host == "a");
  CHECK(f.fields ==
        std::map<std::string, std::string>{{"size", "42"}, {"errno_text", "no space"}, {"limit", "ulimit 42"}});
  REQUIRE(f.causes.size() == 2);
  CHECK(f.causes[0].log_odds == 3.5);
  CHECK(f.causes[1].cause == "d");
}

TEST_CASE("versions of the process count, else those of the job", "[rules]") {
  const std::string old_only = kMain + std::string(R"(,"nccl":"..2.21")");
  struct Case {
    std::string own, other;
    bool needs_version, fires;
  };
  const std::vector<Case> cases = {
      {"2.21.5", "2.28.9", false, true},
      {"2.28.9", "2.21.5", false, false},
      {"", "2.21.5", false, true},
      {"", "2.28.9", false, false},
      {"", "", false, true},
      {"", "", true, false},
  };
  for (const Case& c : cases) {
    const auto rules = RulesOf({{"r", old_only + (c.needs_version ? R"(,"needs_version":true)" : "")}});
    FakeJob job(*rules);
    job.AddProcess("a", 1, 0, c.own);
    job.AddProcess("a", 2, 1, c.other);
    job.AddSource("a.log", {{"main", 0}});
    INFO(c.own << " / " << c.other << " / " << c.needs_version);
    CHECK(job.Resolve().empty() != c.fires);
  }
}

TEST_CASE("lines without a process say themselves who they are", "[rules]") {
  const auto rules = RulesOf({{"r", R"x("role":"root","match":[{"literal":"Rank","regex":"Rank (?P<rank>\\d+)"}])x"}});
  FakeJob job(*rules);
  job.AddSource("a.log", {{"[Rank 5] hangs", kNoProcess, LogLevel::kNone, "", Dialect::kTorch},
                          {"[Rank 6] hangs", kNoProcess, LogLevel::kNone, "", Dialect::kTorch},
                          {"[Rank 5] still hangs", kNoProcess, LogLevel::kNone, "", Dialect::kTorch}});
  const auto findings = job.Resolve();
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].rank == 5);
  CHECK(findings[0].repeats == 1);
  CHECK(findings[1].rank == 6);
}

TEST_CASE("ranks that wait in a file of one process are told by their words, however many", "[rules]") {
  const auto rules = RulesOf({{"r", R"x("role":"symptom","causes":{"c":1},"sign":{"life":"waiting"},)x"
                                    R"x("match":[{"literal":"waits","regex":"waits for (?P<operation>\\w+)"}])x"}});
  FakeJob job(*rules);
  job.AddProcess("a", 1, 0);
  std::vector<std::string> texts;
  for (int i = 0; i < 40; ++i) texts.push_back("rank " + std::to_string(i) + " waits for " + (i == 33 ? "b" : "a"));
  std::vector<FakeLine> lines;
  for (const std::string& text : texts) lines.push_back({text, 0});
  job.AddSource("a.log", lines);
  const auto findings = job.Resolve();
  REQUIRE(findings.size() == texts.size());
  CHECK(findings[33].rank == 33);
  CHECK(findings[33].fields.at("operation") == "b");
}

TEST_CASE("two exit codes of one process are two endings", "[rules]") {
  const auto rules = RulesOf({{"r", R"x("role":"context","sign":{"life":"ending","how":"exit"},)x"
                                    R"x("match":[{"literal":"exit","regex":"exit code (?P<exit_code>\\d+)"}])x"}});
  FakeJob job(*rules);
  job.AddProcess("a", 1, 0);
  job.AddSource("a.log", {{"exit code 0", 0}, {"exit code 1", 0}, {"exit code 1", 0}});
  const auto findings = job.Resolve();
  REQUIRE(findings.size() == 2);
  CHECK(findings[1].fields.at("exit_code") == "1");
  CHECK(findings[1].repeats == 1);
}

TEST_CASE("many hits and many conditions stay cheap", "[rules]") {
  const auto rules =
      RulesOf({{"r", kMain + std::string(R"(,"near":[{"literal":"other","scope":"host","within":3}])")}});
  FakeJob job(*rules);
  std::vector<FakeLine> lines;
  for (uint32_t i = 0; i < 20000; ++i) {
    job.AddProcess("a", i, static_cast<int32_t>(i));
    lines.push_back({i % 2 == 0 ? "main" : "other", i});
  }
  job.AddSource("a.log", lines);
  CHECK(job.Resolve().size() == 10000);  // a comparison of all pairs would take minutes in a debug build
}

QueryRow Row(std::vector<std::pair<std::string, std::string>> columns) { return {std::move(columns)}; }

TEST_CASE("rows of a query become findings", "[rules]") {
  const auto rules =
      RulesOf({{"q", R"("role":"root","query":"SELECT 1","causes":{"c":2},"blame":"field")"}, {"r", kMain}});
  FakeJob job(*rules);
  Fill(job, {{"nothing", 0}, {"main", 3}});
  std::string asked;
  std::vector<std::string> problems;
  const auto findings = job.Resolve(
      [&](std::string_view sql) -> Result<std::vector<QueryRow>> {
        asked = std::string(sql);
        return std::vector<QueryRow>{
            Row({{"culprit_rank", "3"}, {"culprit_host", "b"}, {"why", "it never came"}, {"causes", R"({"d":1.5})"}}),
            Row({{"rank", "1"}, {"source", "a.log"}, {"line", "1"}, {"text", "nothing"}, {"op_count", "17"}}),
            Row({{"rank", "1"}, {"source", "a.log"}, {"line", "9"}}),
            Row({{"host", "b"}, {"pid", "102"}, {"rank", "not a number"}, {"causes", "[]"}}),
        };
      },
      &problems);
  CHECK(asked == "SELECT 1");
  CHECK(problems == std::vector<std::string>{"rule q: column rank is \"not a number\""});
  REQUIRE(findings.size() == 4);
  CHECK(findings[0].rank == 1);
  CHECK(findings[0].line == 1);
  CHECK(findings[0].source == SourceId{0});
  CHECK(findings[0].process == ProcessId{1});
  CHECK(findings[0].host == "a");
  CHECK(findings[0].repeats == 1);
  CHECK(findings[0].text == "nothing");
  CHECK(findings[0].fields.at("op_count") == "17");
  CHECK(rules->rule(findings[1].rule).id == "r");
  CHECK_FALSE(findings[2].source.valid());
  CHECK(findings[2].fields.at("why") == "it never came");
  REQUIRE(findings[2].causes.size() == 1);
  CHECK(findings[2].causes[0].cause == "d");
  CHECK(findings[3].process == ProcessId{2});
  CHECK(findings[3].rank == 2);
  CHECK(findings[3].causes[0].cause == "c");
}

TEST_CASE("findings of patterns are published before the first query runs", "[rules]") {
  const auto rules =
      RulesOf({{"a-query", R"("role":"root","query":"SELECT 1","causes":{"c":2})"}, {"b-pattern", kMain}});
  FakeJob job(*rules);
  Fill(job, {{"main", 0}});
  std::vector<std::string> order;
  const auto query = [&](std::string_view) -> Result<std::vector<QueryRow>> {
    order.push_back("query");
    return std::vector<QueryRow>{Row({{"rank", "1"}})};
  };
  const auto publish = [&](const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) order.push_back(rules->rule(finding.rule).id.str());
  };
  CHECK(job.Resolve(query, nullptr, publish).size() == 2);
  CHECK(order == std::vector<std::string>{"b-pattern", "query", "a-query"});
}

TEST_CASE("a query that needs lines is asked when there are enough of them", "[rules]") {
  const auto asked = [](const std::string& needs, size_t lines) {
    const auto rules = RulesOf(
        {{"q", R"("role":"root","query":"SELECT 1","causes":{"c":2},"needs":)" + needs}, {"m", kMain}, {"n", kMain}});
    FakeJob job(*rules);
    for (size_t i = 0; i < lines; ++i) {
      job.AddProcess("a", static_cast<int>(i + 1), static_cast<int>(i));
      job.AddSource("a" + std::to_string(i) + ".log", {{"main", 0}});
    }
    bool was = false;
    const QueryRunner query = [&](std::string_view) -> Result<std::vector<QueryRow>> {
      was = true;
      return std::vector<QueryRow>();
    };
    job.Resolve(query);
    return was;
  };
  CHECK(asked(R"(["m"])", 1));
  CHECK_FALSE(asked(R"(["m"])", 0));
  CHECK_FALSE(asked(R"(["x-*","job:rank-twice"])", 1));
  CHECK_FALSE(asked(R"(["m"],"min_needs":2)", 1));
  CHECK(asked(R"(["m"],"min_needs":2)", 2));
  CHECK(asked(R"(["m","n"],"min_needs":2)", 1));  // all together
  CHECK(asked(R"(["m"],"needs_each":["job:rank-twice|m"])", 1));
  CHECK_FALSE(asked(R"(["m"],"needs_each":["m","job:rank-twice"])", 1));
}

TEST_CASE("a field whose capture the line does not have is left out", "[rules]") {
  const auto rules = RulesOf({{"r", R"("role":"root","causes":{"c":2},"fields":{"value":"{path}","text":"fixed"},)"
                                    R"("match":[{"literal":"main","regex":"main(?: of (?P<path>\\S+))?"}])"}});
  const auto fields = [&](const std::string& line) {
    FakeJob job(*rules);
    Fill(job, {{line, 0}});
    const std::vector<Finding> findings = job.Resolve();
    REQUIRE(findings.size() == 1);
    return findings.front().fields;
  };
  CHECK(fields("main of /etc/topo.xml").at("value") == "/etc/topo.xml");
  CHECK_FALSE(fields("main").contains("value"));
  CHECK(fields("main").at("text") == "fixed");
}

TEST_CASE("a query that fails is a problem, not an end", "[rules]") {
  const auto rules = RulesOf({{"q", R"("role":"root","query":"SELECT 1","causes":{"c":2})"}, {"r", kMain}});
  FakeJob job(*rules);
  Fill(job, {{"main", 0}});
  std::vector<std::string> problems;
  const auto failing = [](std::string_view) -> Result<std::vector<QueryRow>> { return Status::Limit("too slow"); };
  CHECK(job.Resolve(failing, &problems).size() == 1);
  CHECK(problems == std::vector<std::string>{"rule q: too slow"});
  CHECK(job.Resolve({}, &problems).size() == 1);  // no timeline: query rules are left out
}

}  // namespace
}  // namespace ncclwhy

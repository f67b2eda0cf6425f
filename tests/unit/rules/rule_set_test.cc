#include "rules/engine/rule_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "catch.h"
#include "fake_job.h"
#include "rules/engine/rule_test.h"

namespace ncclwhy {
namespace {

const std::string kCatalog = std::string(NCCLWHY_SOURCE_DIR) + "/rules/catalog";

void CheckSame(const LinePattern& a, const LinePattern& b) {
  CHECK(std::tie(a.literals, a.regex, a.levels, a.dialects, a.file) ==
        std::tie(b.literals, b.regex, b.levels, b.dialects, b.file));
}

void CheckSame(const std::vector<Weight>& a, const std::vector<Weight>& b) {
  CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end(),
                   [](const Weight& x, const Weight& y) { return x.cause == y.cause && x.log_odds == y.log_odds; }));
}

void CheckSame(const std::vector<Condition>& a, const std::vector<Condition>& b) {
  REQUIRE(a.size() == b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    CheckSame(a[i].pattern, b[i].pattern);
    CheckSame(a[i].causes, b[i].causes);
    CHECK(std::tie(a[i].scope, a[i].within, a[i].before_only, a[i].after_only) ==
          std::tie(b[i].scope, b[i].within, b[i].before_only, b[i].after_only));
  }
}

std::set<std::string> Ids(const RuleList& rules) {
  std::set<std::string> ids;
  for (const Rule& rule : rules) ids.insert(rule.id.str());
  return ids;
}

TEST_CASE("the embedded rules are those of the catalogue", "[rules]") {
  std::vector<Diagnostic> diagnostics;
  const auto from_disk = RuleSet::LoadOnly(kCatalog, &diagnostics);
  const auto& a = RuleSet::Embedded().rules();
  const auto& b = from_disk->rules();
  REQUIRE(a.size() > 0);
  std::vector<std::string> only_one;  // a build that is older than the catalogue
  const std::set<std::string> ids_a = Ids(a);
  const std::set<std::string> ids_b = Ids(b);
  std::set_symmetric_difference(ids_a.begin(), ids_a.end(), ids_b.begin(), ids_b.end(), std::back_inserter(only_one));
  REQUIRE(only_one == std::vector<std::string>());
  for (size_t i = 0; i < a.size(); ++i) {
    INFO(a[i].id);
    CHECK(std::tie(a[i].id, a[i].family, a[i].role, a[i].query, a[i].needs_version, a[i].explains, a[i].blame) ==
          std::tie(b[i].id, b[i].family, b[i].role, b[i].query, b[i].needs_version, b[i].explains, b[i].blame));
    CHECK(std::tie(a[i].title_en, a[i].title_zh, a[i].note_en, a[i].note_zh, a[i].fields, a[i].references) ==
          std::tie(b[i].title_en, b[i].title_zh, b[i].note_en, b[i].note_zh, b[i].fields, b[i].references));
    CHECK(std::tie(a[i].nccl.first, a[i].nccl.last) == std::tie(b[i].nccl.first, b[i].nccl.last));
    CHECK(a[i].file == fmt::format("rules/catalog/{}/{}/rule.json", a[i].family, a[i].id));
    REQUIRE(a[i].patterns.size() == b[i].patterns.size());
    for (size_t j = 0; j < a[i].patterns.size(); ++j) CheckSame(a[i].patterns[j], b[i].patterns[j]);
    CheckSame(a[i].causes, b[i].causes);
    CheckSame(a[i].near, b[i].near);
    CheckSame(a[i].unless, b[i].unless);
    CheckSame(a[i].boost, b[i].boost);
  }
}

TEST_CASE("the embedded tables find the embedded literals", "[rules]") {
  const RuleSet& rules = RuleSet::Embedded();
  for (const Rule& rule : rules.rules()) {
    for (const LinePattern& pattern : rule.patterns) {
      if (!pattern.regex.empty() || !pattern.file.empty()) continue;
      FakeJob job(rules);
      for (const KeptText& kept : pattern.literals) {
        const std::string literal = kept.str();
        const LogLevel level = pattern.levels.empty() ? LogLevel::kWarn : pattern.levels[0];
        const Dialect dialect = pattern.dialects.empty() ? Dialect::kNccl : pattern.dialects[0];
        job.AddSource(literal, {{literal, 0, level, "", dialect}});
        INFO(rule.id << ": " << literal);
        CHECK(!job.hits(0).hits.empty());
      }
    }
  }
}

TEST_CASE("a directory adds and overrides rules, and broken ones are left out", "[rules]") {
  const TempDirectory directory;
  const auto rule = [](const std::string& id, const std::string& literal) {
    return R"({"schema":"ncclwhy.rule/1","id":")" + id +
           R"(","role":"warning","title":{"en":"mine","zh":"mine"},"match":[{"literal":")" + literal + R"("}]})";
  };
  const std::string overridden = RuleSet::Embedded().rules()[0].id.str();
  directory.Write("own/" + overridden + "/rule.json", rule(overridden, "something of mine"));
  directory.Write("own/own-new/rule.json", rule("own-new", "something new"));
  directory.Write("own/own-broken/rule.json", "{");
  std::vector<Diagnostic> diagnostics;
  const auto set = RuleSet::Load({directory.path()}, &diagnostics);
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].code == "R001");
  CHECK(set->rules().size() == RuleSet::Embedded().rules().size() + 1);
  CHECK(set->rules()[0].title_en == "mine");
  CHECK(std::is_sorted(set->rules().begin(), set->rules().end(),
                       [](const Rule& a, const Rule& b) { return a.id < b.id; }));

  FakeJob job(*set);
  job.AddSource("a.log", {{"something new"}});
  const auto findings = job.Resolve();
  REQUIRE(findings.size() == 1);
  CHECK(set->rule(findings[0].rule).id == "own-new");
}

TEST_CASE("matchers of several threads share the patterns", "[rules]") {
  const auto rules =
      RulesOf({{"r", R"("role":"root","match":[{"literal":"number","regex":"number (?P<count>\\d+)$"}])"}});
  std::vector<size_t> found(4);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&, i] {
      FakeJob job(*rules);
      job.AddSource("a.log", {{"number 7"}, {"number x"}, {"number 8"}});
      found[i] = job.hits(0).hits.size();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(found == std::vector<size_t>(4, 2));
}

TEST_CASE("cases beside a rule are found and judged", "[rules]") {
  const TempDirectory directory;
  directory.Write("fam/r/rule.json", R"({"schema":"ncclwhy.rule/1","id":"r","role":"root","title":{"en":"t","zh":"t"},
      "causes":{"c":1},"match":[{"literal":"main"}]})");
  directory.Write("fam/r/fires-one.log", "main");
  directory.Write("fam/r/fires-two/rank1.log", "main");
  directory.Write("fam/r/fires-two/rank0.log", "");
  directory.Write("fam/r/silent-x.log", "main");
  const auto rules = RuleSet::LoadOnly(directory.path(), nullptr);
  REQUIRE(rules->rules().size() == 1);
  const auto cases = FindRuleCases("r", rules->rules()[0].file);
  REQUIRE(cases.size() == 3);
  CHECK(cases[0].name == "fires-one");
  CHECK(cases[1].name == "fires-two");
  REQUIRE(cases[1].files.size() == 2);
  CHECK(cases[1].files[0].ends_with("rank0.log"));
  CHECK_FALSE(cases[2].fires);

  // An analysis that finds the rule in everything but fires-two.
  const auto results = RunRuleCases(*rules, [](const RuleSet&, const RuleCase& test) {
    CaseFindings found;
    if (test.files.size() == 1) {
      Finding finding;
      finding.rule = RuleId{0};
      finding.line = 1;
      finding.text = "main";
      found.findings.push_back(finding);
    }
    return Result<CaseFindings>(std::move(found));
  });
  REQUIRE(results.size() == 3);
  CHECK(results[0].passed);
  CHECK(results[0].fired == std::vector<std::string>{"r"});
  CHECK_FALSE(results[1].passed);
  CHECK(results[1].message == "r/fires-two: the rule must fire and does not");
  CHECK_FALSE(results[2].passed);
  CHECK(results[2].message == "r/silent-x: the rule must stay silent, but fires on line 1: main");
}

TEST_CASE("a case says whom its rule blames", "[rules]") {
  TempDirectory directory;
  directory.Write("fam/r/rule.json", R"({"schema":"ncclwhy.rule/1","id":"r","role":"root","title":{"en":"t","zh":"t"},
      "causes":{"c":1},"match":[{"literal":"main"}]})");
  for (const char* name : {"rank", "wrong", "nobody", "unsaid"}) {
    directory.Write(std::string("fam/r/fires-") + name + ".log", "main");
  }
  directory.Write("fam/r/expect.json", R"({"fires-rank": {"rank": 3}, "fires-wrong": [{"rank": 1, "host": "a"}],
      "fires-nobody": [], "fires-gone": {"rank": 1}, "fires-unsaid": {"node": "a"}})");
  const auto rules = RuleSet::LoadOnly(directory.path(), nullptr);
  const auto results = RunRuleCases(*rules, [](const RuleSet&, const RuleCase&) {
    CaseFindings found;
    Finding finding;
    finding.rule = RuleId{0};
    found.findings.push_back(finding);
    Culprit culprit;
    culprit.rank = 3;
    culprit.host = "a";
    found.culprits.push_back(culprit);
    return Result<CaseFindings>(std::move(found));
  });
  REQUIRE(results.size() == 6);
  CHECK(results[0].message == "r/fires-nobody: it must blame nobody, and blames rank 3 on a");
  CHECK(results[1].passed);
  CHECK(results[2].passed);  // nothing that can be read is said of it
  CHECK(results[3].message == "r/fires-wrong: it must blame rank 1 on a, and blames rank 3 on a");
  CHECK(results[4].message.find("\"fires-gone\" is no case that fires") != std::string::npos);
  CHECK(results[5].message.find("\"fires-unsaid\" is no case") != std::string::npos);
  CHECK_FALSE(results[5].passed);
}

}  // namespace
}  // namespace ncclwhy

// The rules of rules/catalog: sound, right about their own logs, and known on everybody else's (matrix.golden).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "kb/loader/kb.h"
#include "parser/line_shape.h"
#include "rules/engine/lint.h"
#include "rules/engine/pattern_table.h"
#include "rules/engine/rule_set.h"
#include "rules/engine/rule_test.h"
#include "run_case.h"

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;

const std::string kRoot = NCCLWHY_SOURCE_DIR;
const std::string kCatalog = kRoot + "/rules/catalog";
const std::string kGolden = kRoot + "/tests/catalog/matrix.golden";

// Everything that was run, once for all tests.
struct Run {
  std::unique_ptr<RuleSet> rules;
  std::vector<Diagnostic> diagnostics;
  std::vector<RuleCaseResult> results;                      // of all rules
  std::map<std::string, std::vector<std::string>> healthy;  // samples/healthy/<id> -> rules that fire
  std::set<std::string> problems;                           // queries that failed, unreadable samples
  std::set<uint32_t> exercised;                             // patterns that a fires log of their own rule hits
};

std::vector<std::string> FilesIn(const fs::path& directory) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.path().extension() == ".log") files.push_back(entry.path().generic_string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

const Run& RunOnce() {
  static const Run run = [] {
    Run made;
    made.rules = RuleSet::LoadOnly(kCatalog, &made.diagnostics);
    const PatternTable patterns(made.rules->rules());
    for (const Rule& rule : made.rules->rules()) {
      std::vector<std::string> complaints;
      for (const RuleCase& test : FindRuleCases(rule.id, rule.file, &complaints)) {
        made.results.push_back(RunRuleCase(*made.rules, test, [&](const RuleSet& rules, const auto&) {
          auto done = RunCase(rules, test.files, rule.id);
          if (!done.ok()) return Result<CaseFindings>(done.status());
          made.problems.insert(done.value().problems.begin(), done.value().problems.end());
          for (const uint32_t number : done.value().hit_patterns) {
            const bool own = rules.rules()[patterns.entry(number).rule].id == rule.id;
            if (test.fires && own) made.exercised.insert(number);
          }
          return Result<CaseFindings>(std::move(done.value().found));
        }));
      }
      made.problems.insert(complaints.begin(), complaints.end());
    }
    for (const auto& sample : fs::directory_iterator(kRoot + "/samples/healthy")) {
      if (!sample.is_directory()) continue;
      std::vector<std::string>& fired = made.healthy[sample.path().filename().string()];
      const auto done = RunCase(*made.rules, FilesIn(sample.path()));
      if (!done.ok()) {
        made.problems.insert(sample.path().string() + ": " + done.status().message());
        continue;
      }
      for (const Finding& finding : done.value().found.findings) {
        fired.push_back(made.rules->rule(finding.rule).id.str());
      }
      std::sort(fired.begin(), fired.end());
      fired.erase(std::unique(fired.begin(), fired.end()), fired.end());
    }
    return made;
  }();
  return run;
}

// What tells where a job ran judges nothing and fires on half of all logs: only its own cases show it.
std::vector<std::string> Judging(const std::vector<std::string>& fired, std::map<std::string, std::string>& family,
                                 const std::string& own) {
  std::vector<std::string> out;
  std::copy_if(fired.begin(), fired.end(), std::back_inserter(out),
               [&](const std::string& id) { return family[id] != "environment" || id == own; });
  return out;
}

std::string Matrix(const Run& run) {
  std::vector<std::string> lines;
  std::map<std::string, std::string> family;
  for (const Rule& rule : run.rules->rules()) family[rule.id.str()] = rule.family;
  for (const RuleCaseResult& result : run.results) {
    lines.push_back(fmt::format("{}/{}/{}: {}", family[result.test.rule], result.test.rule, result.test.name,
                                fmt::join(Judging(result.fired, family, result.test.rule), " ")));
  }
  std::sort(lines.begin(), lines.end());
  std::string out = "# case: rules that fire on it\n";
  for (const std::string& line : lines) out += line + "\n";
  out += "\n# healthy sample: rules that fire on it\n";
  for (const auto& [name, fired] : run.healthy)
    out += fmt::format("{}: {}\n", name, fmt::join(Judging(fired, family, {}), " "));
  out += "\n# patterns of `match` that no fires log exercises\n";
  const PatternTable patterns(run.rules->rules());
  for (uint32_t rule = 0; rule < run.rules->rules().size(); ++rule) {
    for (uint32_t i = 0; i < run.rules->rules()[rule].patterns.size(); ++i) {
      if (run.exercised.count(patterns.numbers().first[rule] + i) == 0) {
        out += fmt::format("{}/match/{}\n", run.rules->rules()[rule].id, i);
      }
    }
  }
  return out;
}

// Lines that only one of the two texts has, at most `limit` of them.
std::string Difference(const std::string& expected, const std::string& actual, size_t limit) {
  const auto lines = [](const std::string& text) {
    std::multiset<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) out.insert(line);
    return out;
  };
  const auto a = lines(expected);
  const auto b = lines(actual);
  std::string out;
  const auto report = [&](char sign, const auto& from, const auto& other) {
    for (const std::string& line : from) {
      if (other.count(line) != 0) continue;
      if (limit-- == 0) return;
      out += fmt::format("{} {}\n", sign, line);
    }
  };
  report('-', a, b);
  report('+', b, a);
  return out;
}

TEST_CASE("the catalogue is sound", "[catalog]") {
  CauseSet causes;
  for (const std::string& id : KnowledgeBase::Embedded().CauseIds()) causes.insert(id);
  LintOptions options;
  options.causes = &causes;
  std::vector<Diagnostic> diagnostics;
  const auto rules = LoadCatalog(kCatalog, options, &diagnostics);
  REQUIRE(!rules.empty());
  // Two warnings are errors here: the catalogue is complete, so a name that nothing carries is a misspelling.
  std::vector<Diagnostic> serious;
  std::copy_if(diagnostics.begin(), diagnostics.end(), std::back_inserter(serious), [](const Diagnostic& d) {
    return d.level == Diagnostic::kError || d.code == "R023" || d.code == "R050";
  });
  INFO(FormatDiagnostics(serious));
  CHECK(serious.empty());
}

// A number of a line may spell it: "507053", "EFA ". Then no line of that shape is taken without a look at the rules.
TEST_CASE("what NCCL prints most holds no literal of a rule, whatever its numbers are", "[catalog]") {
  const RuleSet& rules = RuleSet::Embedded();
  const auto matcher = rules.NewMatcher();
  LineShape shapes;
  for (const char* line : {"sendProxy [364/4] request 0x7f0000006b00 done",
                           "recvProxy [1/1/0] received, size 65536 chunkSize=131072", "Assigned 17 of 42 to 0x7f00"}) {
    INFO(line);
    std::vector<std::string> words;
    CHECK_FALSE(matcher->MayMatch(LogLevel::kTrace, shapes.Of(line), &words));
  }
}

TEST_CASE("every rule fires on its logs and stays silent on its near misses", "[catalog]") {
  const Run& run = RunOnce();
  REQUIRE(run.results.size() >= 2 * run.rules->rules().size());
  for (const RuleCaseResult& result : run.results) {
    INFO(result.message);
    CHECK(result.passed);
  }
}

// Of rules whose culprit is captured or counted. NCCLWHY_BLESS=1 writes what they blame now where nothing stands: read
// it before it is committed.
TEST_CASE("rules that find the culprit say whom they blame in each case", "[catalog]") {
  const Run& run = RunOnce();
  std::map<std::string, const Rule*> rules;
  for (const Rule& rule : run.rules->rules()) rules[rule.id.str()] = &rule;
  const char* const bless = std::getenv("NCCLWHY_BLESS");
  std::map<std::string, nlohmann::json> missing;
  for (const RuleCaseResult& result : run.results) {
    const Rule& rule = *rules.at(result.test.rule);
    if (!result.test.fires || result.test.blames || !MustExpect(rule)) continue;
    INFO(result.test.rule << "/" << result.test.name << " needs a line in expect.json");
    CHECK(bless != nullptr);
    nlohmann::json& who = missing[rule.file.str()][result.test.name] = nlohmann::json::array();
    for (const Culprit& c : result.culprits) {
      nlohmann::json one = nlohmann::json::object();
      if (c.rank >= 0) one["rank"] = c.rank;
      if (!c.host.empty()) one["host"] = c.host;
      who.push_back(std::move(one));
    }
  }
  for (auto& [file, cases] : missing) {
    const fs::path path = fs::path(file).parent_path() / "expect.json";
    nlohmann::json all = nlohmann::json::object();
    if (fs::exists(path)) {
      std::ifstream in(path);
      all = nlohmann::json::parse(in);
    }
    all.update(cases);
    std::string text;
    for (auto it = all.begin(); it != all.end(); ++it) {
      text += fmt::format("{}  {}: {}", text.empty() ? "" : ",\n", nlohmann::json(it.key()).dump(), it->dump());
    }
    std::ofstream(path, std::ios::binary) << "{\n" << text << "\n}\n";
  }
}

TEST_CASE("every query runs on every log", "[catalog]") {
  for (const std::string& problem : RunOnce().problems) FAIL_CHECK(problem);
}

// One weighs against a cause, the other is told beside it. A view for both cannot be: SQLite lets no schema call
// json_extract(), and xid and bus_id are fields of an event.
TEST_CASE("both rules on an Xid of somebody else's GPU ask the same", "[catalog]") {
  const auto asked = [](std::string_view id) {
    const RuleList& rules = RunOnce().rules->rules();
    const size_t at = rules.LowerBound(id);
    REQUIRE((at < rules.size() && rules[at].id == id));
    const std::string query = rules[at].query.str();
    return query.substr(0, query.find(" SELECT x.")) + query.substr(query.find(" FROM x JOIN"));
  };
  CHECK(asked("kernel-xid-elsewhere") == asked("witness-xid-elsewhere"));
}

TEST_CASE("which rule fires where is known", "[catalog]") {
  const Run& run = RunOnce();
  REQUIRE(!run.healthy.empty());
  const std::string actual = Matrix(run);
  if (const char* bless = std::getenv("NCCLWHY_BLESS"); bless != nullptr && *bless == '1') {
    std::ofstream(kGolden, std::ios::binary) << actual;
  }
  std::ifstream file(kGolden, std::ios::binary);
  std::ostringstream golden;
  golden << file.rdbuf();
  INFO("NCCLWHY_BLESS=1 rewrites tests/catalog/matrix.golden; the difference begins:\n"
       << Difference(golden.str(), actual, 40));
  CHECK((golden.str() == actual));
}

TEST_CASE("no rule says that a healthy job failed", "[catalog]") {
  const Run& run = RunOnce();
  std::map<std::string, Role> roles;
  for (const Rule& rule : run.rules->rules()) roles[rule.id.str()] = rule.role;
  for (const auto& [name, fired] : run.healthy) {
    for (const std::string& id : fired) {
      INFO(name << ": " << id);
      CHECK((roles[id] != Role::kRoot && roles[id] != Role::kSymptom));
    }
  }
}

}  // namespace
}  // namespace ncclwhy

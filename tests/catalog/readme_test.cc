// Executes the example of rules/README.md from its text: each fenced block names the file that it is.
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"
#include "kb/loader/kb.h"
#include "ncclwhy/analyzer.h"
#include "rules/engine/lint.h"
#include "rules/engine/rule_test.h"
#include "run_case.h"

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;

// "## Add a cause with its rule in eight steps"
TEST_CASE("rules/README.md has as many steps as it says", "[catalog]") {
  const std::vector<std::string> numbers = {"five", "six", "seven", "eight", "nine", "ten"};
  std::ifstream file(std::string(NCCLWHY_SOURCE_DIR) + "/rules/README.md");
  std::string said;
  size_t steps = 0;
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (std::regex_match(line, match, std::regex("## Add .* in (\\w+) steps"))) {
      said = match[1];
    } else if (line.starts_with("## ") && !said.empty()) {
      break;
    } else if (!said.empty() && line.starts_with(std::to_string(steps + 1) + ". ")) {
      ++steps;
    }
  }
  REQUIRE(steps >= 5);
  CHECK(numbers.at(steps - 5) == said);
}

TEST_CASE("the worked example of rules/README.md works", "[catalog]") {
  const fs::path directory = fs::temp_directory_path() / ("ncclwhy-readme-" + std::to_string(std::rand()));
  fs::remove_all(directory);
  std::ifstream file(std::string(NCCLWHY_SOURCE_DIR) + "/rules/README.md");
  std::vector<std::string> written;
  std::ofstream out;
  for (std::string line; std::getline(file, line);) {
    // ```json shm/shm-x/rule.json
    static const std::regex begin("```\\w+ (\\S+/\\S+)");
    std::smatch match;
    if (std::regex_match(line, match, begin)) {
      written.push_back(match[1]);
      fs::create_directories((directory / written.back()).parent_path());
      out.open(directory / written.back());
    } else if (line == "```") {
      out.close();
    } else if (out.is_open()) {
      out << line << '\n';
    }
  }
  REQUIRE(written.size() == 4);

  const std::string kb_directory = (directory / "kb").string();
  const auto kb = KnowledgeBase::Load({kb_directory});
  INFO(kb.status().message());
  REQUIRE(kb.ok());
  CauseSet causes;
  for (const std::string& id : kb.value()->CauseIds()) causes.insert(id);
  LintOptions options;
  options.causes = &causes;
  std::vector<Diagnostic> diagnostics;
  LoadCatalog(directory.string(), options, &diagnostics);
  CHECK(FormatDiagnostics(diagnostics).empty());

  const auto rules = RuleSet::LoadOnly(directory.string(), &diagnostics);
  const auto results = RunRuleCases(*rules, [](const RuleSet& set, const RuleCase& test) {
    auto run = RunCase(set, test.files, test.rule);
    return run.ok() ? Result<CaseFindings>(std::move(run.value().found)) : Result<CaseFindings>(run.status());
  });
  CHECK(results.size() == 2);
  for (const RuleCaseResult& result : results) {
    INFO(result.message);
    CHECK(result.passed);
  }

  AnalyzerOptions analysis;
  analysis.kb_directories = {kb_directory};
  analysis.rule_directories = {directory.string()};
  auto analyzer = Analyzer::Create(analysis);
  REQUIRE(analyzer.ok());
  REQUIRE(analyzer.value()->AddFile((directory / "shm/shm-segment-too-old/fires-2.28.log").string()).ok());
  const auto report = analyzer.value()->Finish();
  REQUIRE(report.ok());
  REQUIRE(!report.value().causes.empty());
  CHECK(report.value().causes.front().id == "site.stale-segment");
  CHECK(report.value().causes.front().summary == "/dev/shm/nccl-aT5k9Q is left from an earlier run on node3.");
  fs::remove_all(directory);
}

}  // namespace
}  // namespace ncclwhy

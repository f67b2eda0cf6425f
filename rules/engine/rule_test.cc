#include "rules/engine/rule_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace ncclwhy {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> SortedEntries(const fs::path& directory) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    entries.push_back(it->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace

std::vector<RuleCase> FindRuleCases(const std::string& rule_id, const std::string& rule_file) {
  std::vector<RuleCase> cases;
  for (const fs::path& entry : SortedEntries(fs::path(rule_file).parent_path())) {
    const std::string name = entry.filename().string();
    RuleCase test;
    test.rule = rule_id;
    test.fires = name.starts_with("fires");
    if (!test.fires && !name.starts_with("silent")) continue;
    std::error_code error;
    if (fs::is_directory(entry, error)) {
      test.name = name;
      for (const fs::path& log : SortedEntries(entry)) test.files.push_back(log.generic_string());
    } else {
      test.name = entry.stem().string();
      test.files.push_back(entry.generic_string());
    }
    if (!test.files.empty()) cases.push_back(std::move(test));
  }
  return cases;
}

RuleCaseResult RunRuleCase(const RuleSet& rules, const RuleCase& test, const FindingsOf& findings_of) {
  RuleCaseResult result;
  result.test = test;
  const Result<std::vector<Finding>> findings = findings_of(rules, test.files);
  if (!findings.ok()) {
    result.message = fmt::format("{}/{}: {}", test.rule, test.name, findings.status().message());
    return result;
  }
  std::set<std::string> fired;
  const Finding* own = nullptr;
  for (const Finding& finding : findings.value()) {
    const std::string& id = rules.rule(finding.rule).id;
    fired.insert(id);
    if (own == nullptr && id == test.rule) own = &finding;
  }
  result.fired.assign(fired.begin(), fired.end());
  result.passed = (own != nullptr) == test.fires;
  if (!result.passed) {
    if (own == nullptr) {
      result.message = fmt::format("{}/{}: the rule must fire and does not", test.rule, test.name);
    } else {
      result.message = fmt::format("{}/{}: the rule must stay silent, but fires on line {}: {}", test.rule, test.name,
                                   own->line, own->text);
    }
  }
  return result;
}

std::vector<RuleCaseResult> RunRuleCases(const RuleSet& rules, const FindingsOf& findings_of) {
  std::vector<RuleCaseResult> results;
  for (const Rule& rule : rules.rules()) {
    for (const RuleCase& test : FindRuleCases(rule.id, rule.file)) {
      results.push_back(RunRuleCase(rules, test, findings_of));
    }
  }
  return results;
}

}  // namespace ncclwhy

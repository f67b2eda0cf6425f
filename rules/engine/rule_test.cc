#include "rules/engine/rule_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ncclwhy {
namespace {

// In order: the first that is blamed is whom the report names first.
bool Blames(const std::vector<Culprit>& culprits, const std::vector<RuleCase::Who>& who) {
  return std::equal(culprits.begin(), culprits.end(), who.begin(), who.end(),
                    [](const Culprit& c, const RuleCase::Who& w) {
                      return (w.rank < 0 || w.rank == c.rank) && (w.host.empty() || w.host == c.host);
                    });
}

}  // namespace

std::string WhoText(const std::vector<RuleCase::Who>& who) {
  std::string out;
  for (const RuleCase::Who& w : who) {
    if (!out.empty()) out += ", ";
    if (w.rank >= 0) out += fmt::format("rank {}", w.rank);
    if (!w.host.empty()) out += (w.rank >= 0 ? " on " : "host ") + w.host;
  }
  return out.empty() ? "nobody" : out;
}

// Other rules may fire, too: only the case's own decides.
RuleCaseResult RunRuleCase(const RuleSet& rules, const RuleCase& test, const FindingsOf& findings_of) {
  RuleCaseResult result;
  result.test = test;
  const Result<CaseFindings> findings = findings_of(rules, test);
  if (!findings.ok()) {
    result.message = fmt::format("{}/{}: {}", test.rule, test.name, findings.status().message());
    return result;
  }
  std::set<std::string> fired;
  const Finding* own = nullptr;
  for (const Finding& finding : findings.value().findings) {
    const std::string_view id = rules.rule(finding.rule).id;
    fired.emplace(id);
    // The first in the order of lines: that is the one to show.
    if (own == nullptr && id == test.rule) own = &finding;
  }
  result.fired.assign(fired.begin(), fired.end());
  // Fires, and must; or does not, and must not.
  result.passed = (own != nullptr) == test.fires;
  if (!result.passed) {
    if (own == nullptr) {
      result.message = fmt::format("{}/{}: the rule must fire and does not", test.rule, test.name);
    } else {
      result.message = fmt::format("{}/{}: the rule must stay silent, but fires on line {}: {}", test.rule, test.name,
                                   own->line, own->text);
    }
  }
  result.culprits = findings.value().culprits;
  if (result.passed && test.blames && !Blames(result.culprits, *test.blames)) {
    result.passed = false;
    std::vector<RuleCase::Who> blamed;
    for (const Culprit& c : result.culprits) blamed.push_back({c.rank, c.host});
    result.message = fmt::format("{}/{}: it must blame {}, and blames {}", test.rule, test.name, WhoText(*test.blames),
                                 WhoText(blamed));
  }
  return result;
}

std::vector<RuleCaseResult> RunRuleCases(const RuleSet& rules, const FindingsOf& findings_of) {
  std::vector<RuleCaseResult> results;
  for (const Rule& rule : rules.rules()) {
    std::vector<std::string> complaints;
    for (const RuleCase& test : FindRuleCases(rule.id, rule.file, &complaints)) {
      results.push_back(RunRuleCase(rules, test, findings_of));
    }
    // As a case that failed, so that it is seen where cases are.
    for (std::string& complaint : complaints) {
      RuleCaseResult wrong;
      wrong.test.rule = rule.id;
      wrong.test.name = "expect.json";
      wrong.message = std::move(complaint);
      results.push_back(std::move(wrong));
    }
  }
  return results;
}

}  // namespace ncclwhy

#include "analyze/rule_words.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "analyze/command_place.h"
#include "analyze/fit_fixes.h"
#include "analyze/leading_line.h"
#include "analyze/passed_by_launcher.h"
#include "analyze/template_values.h"
#include "kb/loader/command_words.h"
#include "kb/loader/decode.h"

namespace ncclwhy {
namespace {

constexpr size_t kLinesPerWarning = 3;

// A pattern rule warns once, whatever its lines say; of a query each row that says something else warns.
std::pair<std::string, std::string> KeyOf(const EvidenceItem& item, const Evidence& e) {
  return {item.name, item.rule->query.empty() ? std::string() : e.note};
}

}  // namespace

void AddRuleWarnings(const CaseFile& c, Report* report) {
  const std::string named = report->causes.empty() ? std::string() : report->causes.front().id;
  std::map<std::pair<std::string, std::string>, size_t> known;
  std::vector<const Rule*> rules;  // of the warnings
  std::vector<Warning> out;
  for (const EvidenceItem& item : c.items) {
    if (item.finding.role != Role::kWarning || item.consequence || item.rule == nullptr) continue;
    const Rule& rule = *item.rule;
    const bool failed = report->verdict != Verdict::kHealthy && report->verdict != Verdict::kDegraded;
    if (rule.healthy_only && failed) continue;
    if (rule.open_end_only && report->outcome == Outcome::kSucceeded) continue;
    const std::string id = item.finding.causes.empty() ? item.name : item.finding.causes.front().cause.str();
    const bool covered = std::find(rule.covered_by.begin(), rule.covered_by.end(), named) != rule.covered_by.end();
    const bool told = rule.degrades && std::any_of(report->causes.begin(), report->causes.end(),
                                                   [&](const Cause& cause) { return cause.id == id; });
    if (told || (!named.empty() && (covered || id == named))) continue;
    Evidence e = ItemEvidence(c, item, "direct");
    const auto [it, fresh] = known.try_emplace(KeyOf(item, e), out.size());
    if (fresh) {
      out.push_back({});
      out.back().id = id;
      out.back().text = e.note;
      out.back().contradicts = rule.contradicts;
      out.back().slow = c.kb.TraitsOf(id).kind == CauseKind::kSlow;
      rules.push_back(&rule);
    }
    Warning& w = out[it->second];
    if (w.evidence.size() < kLinesPerWarning && (e.line > 0 || fresh)) w.evidence.push_back(std::move(e));
  }
  for (const bool healthy_only : {true, false}) {
    for (size_t i = 0; i < out.size(); ++i) {
      if (rules[i]->healthy_only != healthy_only) continue;
      if (report->warnings.empty()) report->headline = c.chinese() ? rules[i]->headline_zh : rules[i]->headline_en;
      report->warnings.push_back(std::move(out[i]));
    }
  }
  if (!report->collect.empty()) return;
  std::set<const Rule*> told;  // a rule may warn of several rows
  for (const Rule* rule : rules) {
    if (!told.insert(rule).second) continue;
    for (const CollectStep& step : rule->collect) {
      report->collect.push_back(
          {(c.language == Language::kChinese ? step.what_zh : step.what_en).str(), step.command.str()});
    }
  }
}

namespace {

// The rules whose fix repairs the cause, each once, that of the line that is quoted first in front: its sentence and
// its repair belong together.
std::vector<const EvidenceItem*> Repairers(const CaseFile& c, const Cause& cause, const EvidenceItem* leads) {
  std::vector<std::pair<double, const EvidenceItem*>> speak;
  for (const EvidenceItem& item : c.items) {
    if (item.rule == nullptr || (item.rule->fix_en.empty() && &item != leads)) continue;
    const bool told =
        std::any_of(speak.begin(), speak.end(), [&](const auto& s) { return s.second->rule == item.rule; });
    const double weight = item.finding.SpeaksFor(cause.id);
    if (weight > 0 && !told) speak.emplace_back(weight, &item);
  }
  const auto place = [&](const EvidenceItem& item) {
    return std::find_if(cause.evidence.begin(), cause.evidence.end(),
                        [&](const Evidence& e) { return e.rule == item.name; });
  };
  std::stable_sort(speak.begin(), speak.end(), [&](const auto& a, const auto& b) {
    const auto rank = [&](const auto& s) {
      return std::make_tuple(leads == nullptr || s.second->rule != leads->rule, place(*s.second), -s.first);
    };
    return rank(a) < rank(b);
  });
  std::vector<const EvidenceItem*> out;
  for (const auto& [weight, item] : speak) out.push_back(item);
  return out;
}

// What its own line does not say, the other evidence of the cause does: `known`.
//   [Errno 98] Address already in use      NCCL WARN … bind … to 10.77.0.10<29555> failed: Address already in use
Fix FixOf(const CaseFile& c, const EvidenceItem& item, const Cause& cause, const TemplateValues& known) {
  Fix fix;
  fix.environment = "any";
  TemplateValues values = FindingValues(item.finding);
  if (!cause.culprits.empty()) values.try_emplace("who_host", cause.culprits.front().host);
  values.insert(c.environment.values.begin(), c.environment.values.end());
  values.insert(known.begin(), known.end());
  fix.text = ExpandTemplate(c.language == Language::kChinese ? item.rule->fix_zh : item.rule->fix_en, values);
  fix.command = ExpandTemplate(item.rule->fix_command, CommandWords(values));
  return fix;
}

// Those that the rule has for kinds of jobs, as far as they fit this one.
std::vector<Fix> FittingFixes(const CaseFile& c, const EvidenceItem& item, const Cause& cause,
                              const TemplateValues& values) {
  if (item.rule->tells.empty()) return {};
  Cause told;
  FitFixes(c.environment, c.kb, DecodeCause(item.rule->tells, c.language).fixes, values,
           WordsForCommands(values, cause.culprits), &told);
  return std::move(told.fixes);
}

}  // namespace

void AddRuleFixes(const CaseFile& c, const Ranking& ranking, Report* report) {
  for (Cause& cause : report->causes) {
    const auto h = std::find_if(ranking.hypotheses.begin(), ranking.hypotheses.end(),
                                [&](const Hypothesis& each) { return each.cause == cause.id; });
    const EvidenceItem* leads = h == ranking.hypotheses.end() ? nullptr : LeadingItem(c, *h);
    const TemplateValues known = h == ranking.hypotheses.end() ? TemplateValues() : CaseValues(c, *h, cause.culprits);
    std::vector<Fix> fixes;
    for (const EvidenceItem* item : Repairers(c, cause, leads)) {
      if (!item->rule->fix_en.empty()) fixes.push_back(FixOf(c, *item, cause, known));
      if (item == leads || (leads != nullptr && item->rule == leads->rule)) {
        for (Fix& fix : FittingFixes(c, *item, cause, known)) fixes.push_back(std::move(fix));
      }
      for (const std::string_view reference : item->rule->references) {
        const bool there =
            std::find(cause.references.begin(), cause.references.end(), reference) != cause.references.end();
        if (!there) cause.references.emplace_back(reference);
      }
    }
    for (Fix& fix : fixes) {
      fix.command = PassedByLauncher(c.kb, c.environment, WithStackTool(c.kb, c.environment, fix.command));
      fix.host = HostToRunOn(c.kb, fix.command, cause.culprits);
    }
    cause.fixes.insert(cause.fixes.begin(), std::make_move_iterator(fixes.begin()),
                       std::make_move_iterator(fixes.end()));
    KeepFirstFixes(&cause);
  }
}

}  // namespace ncclwhy

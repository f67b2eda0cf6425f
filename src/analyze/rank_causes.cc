#include "analyze/rank_causes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analyze/word_evidence.h"

namespace ncclwhy {
namespace {

// Log-odds of "the cause left no line that we know". Fitted with the slope below on labelled logs, see
// tests/incidents/README.md.
constexpr double kUnknownScore = 0.5;
constexpr double kSlope = 1.15;
// Causes that are named at all are right more often than that: of 231 failures that no rule had been written for, those
// named with a probability of 30-50 % were right in nine of ten cases. Still a little humble, see tests/incidents.
constexpr double kConfidenceSlope = 0.9;
constexpr double kConfidenceShift = 0.9;
// Where a rule knows the root, what the catalogue says of other lines is mostly its echo.
constexpr double kEchoTrust = 0.5;
// The same rule on many ranks is one observation, seen often: a little more certain, not n times.
constexpr double kRepeatBonus = 0.15;
constexpr double kRepeatCap = 0.6;
constexpr double kSameLine = 0.25;

// The first one's confidence in log-odds is a line in its probability's; the others share what is left.
void SetConfidence(std::vector<Hypothesis>& hypotheses) {
  if (hypotheses.empty()) return;
  const double p = std::clamp(hypotheses[0].probability, 1e-6, 1 - 1e-6);
  const double odds = kConfidenceSlope * std::log(p / (1 - p)) + kConfidenceShift;
  const double first = 1 / (1 + std::exp(-odds));
  for (Hypothesis& h : hypotheses) h.confidence = h.probability * (1 - first) / (1 - p);
  hypotheses[0].confidence = first;
}

bool Counts(const EvidenceItem& i, Weighs weighs) {
  if (weighs == Weighs::kDegradation) return !i.consequence && i.rule != nullptr && i.rule->degrades;
  return !i.consequence && !i.survived && i.finding.role != Role::kBenign && i.finding.role != Role::kWarning;
}

}  // namespace

bool IsBareClass(const Finding& f) {
  if (f.role != Role::kSymptom) return false;
  std::set<std::string_view> families;
  for (const Weight& w : f.causes) {
    if (w.log_odds > 0) families.insert(std::string_view(w.cause).substr(0, w.cause.find('.')));
  }
  return families.size() > 1;
}

Ranking RankCauses(const CaseFile& c, Weighs weighs) {
  const std::vector<EvidenceItem>& items = c.items;
  Ranking ranking;
  struct PerRule {
    double weight = 0;
    bool guess = false;  // what a bare class may come from: good for want of better
    std::set<uint32_t> processes;
    size_t strongest = 0;
  };
  // cause -> rule name -> its strongest firing. Catalogue lines count per text, so that two messages are two
  // observations.
  std::map<std::string_view, std::map<std::string, PerRule>> table;
  std::map<std::string_view, std::vector<std::pair<double, size_t>>> lines;
  for (size_t n = 0; n < items.size(); ++n) {
    const EvidenceItem& item = items[n];
    if (!Counts(item, weighs)) continue;
    if (item.finding.role == Role::kRoot || item.finding.role == Role::kSymptom) ranking.failed = true;
    if (item.finding.role == Role::kSecondary && item.rule != nullptr) ranking.echoes = true;
    const bool words = item.name.starts_with(kWordEvidencePrefix);
    const std::string key = item.rule != nullptr || words ? item.name : "message:" + item.note;
    for (const Weight& w : item.finding.causes) {
      if (c.kb.TraitsOf(w.cause).kind == CauseKind::kNone) continue;
      auto [it, fresh] = table[w.cause].try_emplace(key);
      PerRule& r = it->second;
      if (fresh || std::abs(w.log_odds) > std::abs(r.weight)) {
        r.weight = w.log_odds;
        r.strongest = n;
        r.guess = IsBareClass(item.finding);
      }
      if (item.finding.process.valid()) r.processes.insert(item.finding.process.value);
      lines[w.cause].emplace_back(w.log_odds, n);
    }
  }
  const bool root_known = std::any_of(items.begin(), items.end(), [weighs](const EvidenceItem& i) {
    return i.rule != nullptr && i.finding.role == Role::kRoot && Counts(i, weighs);
  });
  // A warning that the catalogue knows tells more than a class, too.
  const bool specific = root_known || std::any_of(items.begin(), items.end(), [weighs](const EvidenceItem& i) {
                          return i.rule == nullptr && Counts(i, weighs) && !IsBareClass(i.finding) &&
                                 std::any_of(i.finding.causes.begin(), i.finding.causes.end(),
                                             [](const Weight& w) { return w.log_odds > 0; });
                        });
  for (auto& [cause, rules] : table) {
    Hypothesis h;
    h.cause = cause;
    std::vector<double> catalogue;
    // Two rules that speak of one line are one observation: the stronger counts, the other adds a quarter.
    std::map<std::pair<uint32_t, uint32_t>, double> best;
    for (const auto& [name, r] : rules) {
      const Finding& f = items[r.strongest].finding;
      if (f.line > 0 && !name.starts_with("message:")) {
        double& most = best[{f.source.value, f.line}];
        most = std::max(most, r.weight);
      }
    }
    for (const auto& [name, r] : rules) {
      if (name.starts_with("message:")) {
        catalogue.push_back(r.weight);
        continue;
      }
      const Finding& f = items[r.strongest].finding;
      double weight = r.weight;
      if (weight > 0 && f.line > 0) {
        double& most = best[{f.source.value, f.line}];
        if (weight < most) {
          weight *= kSameLine;
        } else {
          most = 1e9;  // of two as strong only one counts whole
        }
      }
      if (!specific || !r.guess || r.weight < 0) h.score += weight;
      if (r.weight > 0 && r.processes.size() > 1) {
        h.score += std::min(kRepeatCap, kRepeatBonus * std::log2(static_cast<double>(r.processes.size())));
      }
    }
    // Several catalogue messages of one failure are one chain: the strongest counts, the others add a quarter.
    std::sort(catalogue.begin(), catalogue.end(), [](double a, double b) { return std::abs(a) > std::abs(b); });
    const double trust = root_known ? kEchoTrust : 1.0;
    for (size_t i = 0; i < catalogue.size(); ++i) h.score += trust * (i == 0 ? catalogue[i] : catalogue[i] / 4);
    auto& list = lines[cause];
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [weight, n] : list) (weight >= 0 ? h.evidence : h.against).push_back(n);
    if (!h.evidence.empty()) ranking.hypotheses.push_back(std::move(h));
  }
  // A symptom's list of what it may come from says little more than "unknown": all faint ones together weigh no more.
  const auto weight = [](const Hypothesis& h) { return std::exp(kSlope * h.score); };
  const auto is_faint = [](const Hypothesis& h) { return h.score < kUnknownScore; };
  const double unknown = std::exp(kSlope * kUnknownScore);
  double strong = 0;
  double faint = 0;
  for (const Hypothesis& h : ranking.hypotheses) (is_faint(h) ? faint : strong) += weight(h);
  const double shrink = faint > unknown ? unknown / faint : 1.0;
  const double sum = unknown + strong + faint * shrink;
  for (Hypothesis& h : ranking.hypotheses) h.probability = weight(h) * (is_faint(h) ? shrink : 1.0) / sum;
  std::stable_sort(ranking.hypotheses.begin(), ranking.hypotheses.end(),
                   [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  SetConfidence(ranking.hypotheses);
  return ranking;
}

}  // namespace ncclwhy

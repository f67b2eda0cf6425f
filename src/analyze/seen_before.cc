#include "analyze/seen_before.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analyze/telling_lines.h"

namespace ncclwhy {
namespace {

// What a line must tell at least: some four words of which each stands in one incident of ten. "unhandled system error"
// is what half of all failures say, and tells less.
constexpr double kTellingScore = 9;
constexpr double kTellingOfCause = 5;  // where the cause is known already
constexpr double kTellingAlone = 14;   // where no rule knows anything of the line
// Incidents that are as much alike as the first must agree on its cause, or it is chance.
constexpr double kAsAlike = 0.8;
constexpr double kAgree = 0.6;

using IncidentMatches = std::vector<IncidentMatch>;

std::vector<SeenIncident> Told(const IncidentMatches& matches, const KnowledgeBase& kb, Language language) {
  std::vector<SeenIncident> out;
  for (const IncidentMatch& match : matches) {
    IncidentKnowledge i = kb.Incident(match.incident, language);
    out.push_back({std::move(i.id), std::move(i.url), std::move(i.cause), std::move(i.title), std::move(i.solved),
                   std::move(i.products)});
  }
  return out;
}

// What was solved helps more than what only looks alike.
void SolvedFirst(IncidentMatches* matches) {
  const auto wanted = [](const IncidentMatch& m) { return m.told * (m.open ? 0.5 : 1.0); };
  std::stable_sort(matches->begin(), matches->end(),
                   [&](const IncidentMatch& a, const IncidentMatch& b) { return wanted(a) > wanted(b); });
}

IncidentMatches OfKnownCause(IncidentMatches matches) {
  std::erase_if(matches, [](const IncidentMatch& m) { return m.best < kTellingOfCause; });
  SolvedFirst(&matches);
  if (matches.size() > kSeenBefore) matches.resize(kSeenBefore);
  return matches;
}

std::vector<SeenIncident> Agreeing(IncidentMatches matches, double telling, const KnowledgeBase& kb,
                                   Language language) {
  // What is said of an incident second is often said of many others, too.
  std::erase_if(matches, [&](const IncidentMatch& m) { return m.first < telling; });
  if (matches.empty()) return {};
  const double enough = kAsAlike * matches.front().told;
  std::erase_if(matches, [&](const IncidentMatch& m) { return m.told < enough; });
  SolvedFirst(&matches);
  std::vector<SeenIncident> out = Told(matches, kb, language);
  std::map<std::string, size_t> count;
  for (const SeenIncident& incident : out) ++count[incident.cause];
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [cause, most] = *std::max_element(count.begin(), count.end(), fewer);
  if (static_cast<double>(most) < kAgree * static_cast<double>(out.size())) return {};
  const CauseKind kind = kb.TraitsOf(cause).kind;
  if (kind == CauseKind::kNone || kind == CauseKind::kSlow) return {};  // this one failed
  std::erase_if(out, [&name = cause](const SeenIncident& incident) { return incident.cause != name; });
  if (out.size() > kSeenBefore) out.resize(kSeenBefore);
  return out;
}

}  // namespace

std::vector<SeenIncident> SeenBefore(const std::string& line, const std::vector<std::string>& causes,
                                     const KnowledgeBase& kb, const IncidentSearch& search, Language language) {
  if (kb.IncidentCount() == 0) return {};
  if (causes.empty()) return Agreeing(search.Find({line}, {}), kTellingAlone, kb, language);
  return Told(OfKnownCause(search.Find({line}, causes)), kb, language);
}

std::vector<SeenIncident> SeenBefore(const CaseFile& c, const Ranking& ranking, const Report& report,
                                     const IncidentSearch& search) {
  if (c.kb.IncidentCount() == 0) return {};
  const bool named = report.verdict == Verdict::kFailure;
  // Whoever was cancelled does not ask who was before.
  const bool stopped =
      named ? c.kb.TraitsOf(report.causes.front().id).kind == CauseKind::kStop : report.outcome == Outcome::kStopped;
  if (stopped) return {};
  if (!named && report.verdict != Verdict::kUndetermined) return {};
  const TellingLines lines = TellingLinesOf(c.model, c.items, report);
  if (named) {
    return Told(OfKnownCause(search.Find(lines.judged, {report.causes.front().id})), c.kb, c.language);
  }
  std::vector<std::string> causes;
  for (const Hypothesis& h : ranking.hypotheses) causes.push_back(h.cause);
  std::vector<SeenIncident> out;
  if (!causes.empty()) out = Agreeing(search.Find(lines.judged, causes), kTellingScore, c.kb, c.language);
  return out.empty() ? Agreeing(search.Find(lines.unjudged, {}), kTellingAlone, c.kb, c.language) : out;
}

}  // namespace ncclwhy

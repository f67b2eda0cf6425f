#include "analyze/followers.h"

#include <algorithm>
#include <set>

#include "base/limits.h"

namespace ncclwhy {
namespace {

int32_t RankOf(const JobModel& model, int32_t named, ProcessId process) {
  return named >= 0 || !process.valid() ? named : model.processes[process.value].rank;
}

// Whoever complains, waits or ends badly, and does not show the cause itself.
std::set<int32_t> Complaining(const CaseFile& c, const Hypothesis& best, const std::vector<LifeSign>& signs) {
  std::set<int32_t> ranks;
  for (const EvidenceItem& item : c.items) {
    const Finding& f = item.finding;
    const bool follows = (f.role == Role::kSecondary || item.consequence) && !item.survived && !item.info;
    if (follows && f.role != Role::kBenign && f.role != Role::kContext) {
      ranks.insert(RankOf(c.model, f.rank, f.process));
    }
  }
  for (const LifeSign& s : signs) {
    if (s.of != SignOf::kSelf || (!s.bad() && s.life != Life::kWaiting)) continue;
    ranks.insert(RankOf(c.model, s.rank, s.process));
  }
  ranks.erase(-1);
  for (const size_t n : best.evidence) {
    const EvidenceItem& item = c.items[n];
    if (item.finding.role != Role::kContext) ranks.erase(RankOf(c.model, item.finding.rank, item.finding.process));
  }
  return ranks;
}

}  // namespace

void TellFollowers(const CaseFile& c, const Hypothesis& best, const std::vector<LifeSign>& signs, Report* report) {
  const std::vector<Culprit>& culprits = report->causes.front().culprits;
  const CauseTraits& traits = c.kb.TraitsOf(best.cause);
  if (culprits.empty() || traits.waits || traits.both_ends) return;
  std::set<int32_t> ranks = Complaining(c, best, signs);
  size_t blamed = 0;
  for (const Culprit& culprit : culprits) {
    // A device or a port of the fabric belongs to no rank.
    if (culprit.rank < 0 && culprit.host.empty()) return;
    blamed += ranks.erase(culprit.rank);
    for (const Process& p : c.model.processes) {
      if (culprit.rank < 0 && p.host == culprit.host) ranks.erase(p.rank);
    }
  }
  if (ranks.empty() || ranks.size() < blamed || ranks.size() > limits::kReportRanks) return;
  report->followers.assign(ranks.begin(), ranks.end());
}

}  // namespace ncclwhy

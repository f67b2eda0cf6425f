// What others explain: envelopes of what is read closer, bare endings, what a rule says that it explains, and what a
// stop tore down (evidence.h).
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/evidence.h"
#include "base/text.h"

namespace ncclwhy {
namespace {

// Log-odds from which a finding names a cause of its own; of a last resort, the one whose words name it ("the network
// port is down"), and not just who complains.
constexpr double kTells = 2.0;
constexpr double kLastResortTells = 1.4;

// Says no more than that a program ended: "Check failed: mr Failed to register memory region".
bool BareEnding(const KnowledgeBase& kb, const EvidenceItem& i) {
  if (i.rule == nullptr || i.rule->sign.life != Life::kEnding) return false;
  return std::all_of(i.finding.causes.begin(), i.finding.causes.end(),
                     [&](const Weight& w) { return kb.TraitsOf(w.cause).reasonless; });
}

// Says of what it ended.
bool Specific(const KnowledgeBase& kb, const EvidenceItem& i) {
  if (i.rule == nullptr || i.finding.role != Role::kRoot || i.consequence || BareEnding(kb, i)) return false;
  const double tells = i.rule->last_resort ? kLastResortTells : kTells;
  return std::any_of(i.finding.causes.begin(), i.finding.causes.end(),
                     [&](const Weight& w) { return w.log_odds >= tells && !kb.TraitsOf(w.cause).reasonless; });
}

// Reads what an exception carries: "RuntimeError: NCCL error …, unhandled system error", "ChildFailedError: train.py
// FAILED". A root that is none too sure ("No such file or directory") leaves the exception its say.
bool ReadsContent(const KnowledgeBase& kb, const EvidenceItem& i) {
  if (i.finding.role == Role::kSecondary) return true;
  if (i.finding.role == Role::kRoot) return Specific(kb, i);
  return i.finding.role == Role::kSymptom && !i.finding.causes.empty() && !BareEnding(kb, i);
}

// An exception is an envelope: that one was raised says nothing beside a rule that knows what is in it.
void MarkEnvelopes(const KnowledgeBase& kb, std::vector<EvidenceItem>& items) {
  std::set<std::pair<uint32_t, uint32_t>> read;  // (source, line)
  for (const EvidenceItem& i : items) {
    if (i.finding.source.valid() && i.finding.line > 0 && ReadsContent(kb, i))
      read.emplace(i.finding.source.value, i.finding.line);
  }
  for (EvidenceItem& i : items) {
    if (!BareEnding(kb, i) || i.rule->sign.how != Ending::kException || !i.finding.source.valid()) continue;
    if (read.contains({i.finding.source.value, i.finding.line})) i.consequence = true;
  }
}

// What a line says of the failure beats that the same line is an ending.
void MarkBareEndings(const KnowledgeBase& kb, std::vector<EvidenceItem>& items) {
  std::set<std::pair<uint32_t, uint32_t>> told;  // (source, line)
  for (const EvidenceItem& i : items) {
    if (!i.finding.source.valid() || i.finding.line == 0 || !Specific(kb, i)) continue;
    told.emplace(i.finding.source.value, i.finding.line);
    // Of a text of several lines the last one is where the exception stands.
    if (i.finding.last_line > 0) told.emplace(i.finding.source.value, i.finding.last_line);
  }
  for (EvidenceItem& i : items) {
    if (i.finding.source.valid() && BareEnding(kb, i) && told.contains({i.finding.source.value, i.finding.line}))
      i.consequence = true;
  }
}

// Whether `is` holds for all causes that the item speaks for, and there is one.
template <typename Is>
bool SpeaksOnlyFor(const KnowledgeBase& kb, const EvidenceItem& item, const Is& is) {
  bool any = false;
  for (const Weight& w : item.finding.causes) {
    if (w.log_odds <= 0) continue;
    if (!is(kb.TraitsOf(w.cause))) return false;
    any = true;
  }
  return any;
}

}  // namespace

// *** JOB 660172 ON jwb0441 CANCELLED AT 2023-06-15T11:27:46 ***      6: Caught signal 11 (Segmentation fault: …)
void MarkTornDown(const KnowledgeBase& kb, const OutcomeReading& outcome, const std::vector<LifeSign>& signs,
                  std::vector<EvidenceItem>& items) {
  if (outcome.outcome != Outcome::kStopped) return;
  std::map<uint32_t, uint32_t> stops;  // source -> the first line that says so
  for (const size_t n : outcome.bad) {
    const LifeSign& s = signs[n];
    if (s.how != Ending::kStopped || s.of != SignOf::kJob || s.late || !s.source.valid()) continue;
    uint32_t& line = stops.try_emplace(s.source.value, s.line).first->second;
    line = std::min(line, s.line);
  }
  for (EvidenceItem& i : items) {
    if (!i.finding.source.valid() || !BareEnding(kb, i) || i.rule->sign.how == Ending::kStopped) continue;
    const auto stop = stops.find(i.finding.source.value);
    if (stop != stops.end() && i.finding.line > stop->second) i.consequence = true;
  }
  // What ranks say of lost peers in files of their own, where somebody tells that all were stopped, and why.
  //   pbs_mom: 771300.pbs;walltime 14409 exceeded limit 14400      [1,4]: Horovod has been shut down. This was caused by …
  const bool told = std::any_of(items.begin(), items.end(), [&](const EvidenceItem& i) {
    return i.finding.role == Role::kRoot && !i.survived &&
           SpeaksOnlyFor(kb, i, [&](const CauseTraits& traits) { return traits.kind == CauseKind::kStop; });
  });
  for (EvidenceItem& i : items) {
    const bool echo = i.finding.role == Role::kSymptom || i.finding.role == Role::kSecondary;
    if (!told || !echo || stops.contains(i.finding.source.value)) continue;
    if (SpeaksOnlyFor(kb, i, [](const CauseTraits& traits) { return traits.reasonless; })) i.consequence = true;
  }
}

void MarkConsequences(const KnowledgeBase& kb, std::vector<EvidenceItem>& items) {
  // A benign rule silences its own line for what else was read from it; not for what a comparison of processes says:
  // "NET/IB : No device found." is harmless, and the reason where other hosts found one.
  std::set<std::pair<uint32_t, uint32_t>> benign;
  for (const EvidenceItem& i : items) {
    if (i.finding.role == Role::kBenign && i.rule != nullptr && i.finding.source.valid() && i.finding.line > 0) {
      benign.emplace(i.finding.source.value, i.finding.line);
    }
  }
  for (EvidenceItem& i : items) {
    const bool own = i.finding.role == Role::kBenign;
    // A query compares processes; the line that it quotes is only where one of them shows.
    const bool compares = i.rule != nullptr && !i.rule->query.empty();
    if (!own && !compares && i.finding.source.valid() && benign.contains({i.finding.source.value, i.finding.line})) {
      i.consequence = true;
    }
  }
  // Envelopes are marked first: an exception that is one must not explain anything by itself.
  MarkEnvelopes(kb, items);
  std::set<const Rule*> fired, telling;
  for (const EvidenceItem& i : items) {
    if (i.rule == nullptr || i.consequence) continue;
    fired.insert(i.rule);
    // What the job got over explains nothing of what came later:
    //   [n7:2012] Read -1, expected 150528, errno = 1      step 60 …      Signal: Segmentation fault
    if (!i.survived || i.finding.role != Role::kRoot) telling.insert(i.rule);
  }
  std::set<std::string_view> explained;
  // `explains` of a rule names others by glob: `nccl.*` where a cause of its own is shown.
  for (const Rule* rule : telling) {
    for (const std::string_view glob : rule->explains) {
      for (const Rule* other : fired) {
        if (other != rule && GlobMatches(glob, other->id)) explained.insert(other->id);
      }
    }
  }
  for (EvidenceItem& i : items) {
    if (i.rule != nullptr && explained.contains(i.rule->id)) i.consequence = true;
  }
  MarkBareEndings(kb, items);
}

void MarkBesideGoodEnd(const OutcomeReading& outcome, std::vector<EvidenceItem>& items) {
  if (outcome.outcome != Outcome::kSucceeded) return;
  for (EvidenceItem& item : items) {
    if (item.rule != nullptr && item.rule->degrades && item.rule->open_end_only) item.consequence = true;
  }
}

}  // namespace ncclwhy

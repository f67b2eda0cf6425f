#include "analyze/ended_peer.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "rules/engine/hit_index.h"

namespace ncclwhy {
namespace {

bool Counts(const EvidenceItem& i) {
  const Role role = i.finding.role;
  return (role == Role::kRoot || role == Role::kSymptom) && !i.consequence && !i.survived;
}

std::string_view TopCause(const EvidenceItem& i) {
  const auto& causes = i.finding.causes;
  const auto top = std::max_element(causes.begin(), causes.end(),
                                    [](const Weight& a, const Weight& b) { return a.log_odds < b.log_odds; });
  if (top == causes.end()) return {};
  return top->cause;
}

// Of the line's process, or of all that its source knows of: a file for each host.
std::string_view HostOf(const JobModel& model, const Finding& f) {
  if (!f.host.empty()) return ShortHost(f.host);
  // The number of a process is that of the model; of a catalogue's hit it may be none.
  if (f.process.value < model.processes.size() && !model.processes[f.process.value].host.empty())
    return ShortHost(model.processes[f.process.value].host);
  if (!f.source.valid()) return {};
  std::string_view only;
  for (const ProcessFacts& p : model.sources[f.source.value]->processes) {
    const std::string_view host = ShortHost(model.NameOfHost(model.sources[f.source.value]->Str(p.host)));
    // A file with lines of two hosts tells of neither.
    if (host.empty() || host == only) continue;
    if (!only.empty()) return {};
    only = host;
  }
  return only;
}

// "RDMA retries exceeded to 10.60.7.1": the host that is meant; empty where the line names none that is known.
std::string_view PeerHostOf(const JobModel& model, const EvidenceItem& i) {
  if (i.rule == nullptr || (i.rule->blame != Blame::kConnection && i.rule->blame != Blame::kPeer)) return {};
  // `peer_host` is a name; `peer` and `address` are addresses, of which the model knows the owner.
  for (const char* name : {"peer_host", "peer", "address"}) {
    const std::string_view peer = i.finding.Field(name);
    if (!peer.empty()) return ShortHost(model.ResolveAddress(peer).host);
  }
  return {};
}

// By a signal that nobody sends: SIGABRT is how a watchdog or NCCL's own checks end a process.
bool DiedItself(const LifeSign& s) {
  if (s.how == Ending::kException) return s.of == SignOf::kSelf;
  static const std::set<std::string_view> kSent = {"6", "SIGABRT", "Aborted", "15", "SIGTERM", "2", "SIGINT", "9", ""};
  return s.how == Ending::kSignal && !kSent.contains(s.signal);
}

}  // namespace

void MarkSaidOfEndedPeer(const JobModel& model, const std::vector<LifeSign>& signs, const OutcomeReading& outcome,
                         std::vector<EvidenceItem>& items) {
  // Of an exception what its words mean counts, and that it was raised follows from it: both stand on one line.
  std::set<std::pair<uint32_t, uint32_t>> roots;  // (source, line)
  // A root that does not speak of a peer: what its process died of by itself.
  for (const EvidenceItem& i : items) {
    if (Counts(i) && i.finding.role == Role::kRoot && PeerHostOf(model, i).empty())
      roots.emplace(i.finding.source.value, i.finding.line);
  }
  std::map<std::string_view, std::pair<SourceId, uint32_t>> ended;  // host -> the line that tells it
  for (const EvidenceItem& i : items) {
    if (i.sign < 0 || !roots.contains({i.finding.source.value, i.finding.line})) continue;
    // Only ends that the outcome counts: an earlier attempt's do not explain this one's complaints.
    if (std::find(outcome.bad.begin(), outcome.bad.end(), static_cast<size_t>(i.sign)) == outcome.bad.end()) continue;
    const LifeSign& s = signs[static_cast<size_t>(i.sign)];
    const bool lost = s.how == Ending::kStopped && !s.host.empty();  // "Node failure on gn07"
    if (!lost && !DiedItself(s)) continue;
    const std::string_view host = !s.host.empty() ? ShortHost(s.host) : HostOf(model, i.finding);
    if (!host.empty()) ended.try_emplace(host, s.source, s.line);
  }
  for (const EvidenceItem& i : items) {
    if (ended.empty()) return;
    const std::string_view peer = Counts(i) ? PeerHostOf(model, i) : std::string_view();
    if (peer.empty()) continue;
    // Who complained was alive then: it cannot be the reason of its own complaint.
    ended.erase(HostOf(model, i.finding));  // it complained itself
    // Of one file the order is known: whoever is complained of before it ended had been lost before.
    const auto named = ended.find(peer);
    const bool before =
        named != ended.end() && named->second.first == i.finding.source && i.finding.line < named->second.second;
    if (before) ended.erase(named);
  }
  std::set<std::string_view> told;  // causes of complaints about them
  for (const EvidenceItem& i : items) {
    const std::string_view peer = Counts(i) ? PeerHostOf(model, i) : std::string_view();
    if (ended.contains(peer) && peer != HostOf(model, i.finding)) told.insert(TopCause(i));
  }
  // All complaints of that cause, from whichever rank: the others only lost the same peer later.
  for (EvidenceItem& i : items) {
    const bool of_peer = i.rule == nullptr || i.rule->blame == Blame::kConnection || i.rule->blame == Blame::kPeer;
    if (of_peer && Counts(i) && told.contains(TopCause(i))) i.consequence = true;
  }
}

}  // namespace ncclwhy

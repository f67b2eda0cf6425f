#include "analyze/blame.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "analyze/culprit_resolver.h"
#include "analyze/ended_alone.h"
#include "analyze/lost_host.h"

namespace ncclwhy {
namespace {

using CandidateList = CulpritResolver::Candidates;

// Of many ranks that show the same line: more names than that help nobody.
constexpr size_t kCulprits = 8;
// Where none is likelier than the others: eight of them would be a wrong list.
constexpr size_t kAlike = 64;
// Behind the ends that are named, within what is listed beside them.
constexpr double kSecondEnd = 0.25;
// How much less of an accusation is listed beside the strongest.
constexpr double kAsGood = 0.75;

// Two ends see a broken connection, and each names the other. The one host that every pair has in common, where pairs
// of three and more hosts say so; empty when there is none.
std::string_view CommonEnd(const std::set<std::pair<std::string, std::string>>& pairs) {
  // Names as they are printed: a host under two names is two hosts here.
  std::set<std::string_view> hosts;
  for (const auto& [one, other] : pairs) {
    hosts.insert(one);
    hosts.insert(other);
  }
  if (hosts.size() < 3) return {};
  for (const std::string_view host : hosts) {
    if (std::all_of(pairs.begin(), pairs.end(), [&](const auto& p) { return p.first == host || p.second == host; })) {
      return host;
    }
  }
  return {};
}

// Those whom the evidence of one cause accuses.
class Accused {
 public:
  // `weight`: how much the item speaks for the cause; `order`: its place among the evidence.
  void Add(const EvidenceItem& item, double weight, size_t order, CulpritCandidate who) {
    const Blame blame = item.rule != nullptr ? item.rule->blame : Blame::kSelf;
    // Blame by a rule that points at a peer weighs half a unit more than lines that each rank prints of itself.
    // A line of every rank and a line that points at one: the pointing rule has the say.
    who.weight = weight + (blame != Blame::kSelf ? 0.5 : 0.0) - (who.second ? kSecondEnd : 0.0);
    who.order = order;
    // The second end is the one that complained: it must not make a pair with itself.
    const bool names_peer = !who.second && (blame == Blame::kPeer || blame == Blame::kConnection);
    if (names_peer && !item.finding.host.empty() && !who.host.empty() && item.finding.host != who.host) {
      pairs_.emplace(item.finding.host, who.host);
    }
    best_ = std::max(best_, who.weight);
    // One entry for a rank on a host, with its strongest accusation.
    const auto [it, fresh] = found_.try_emplace({who.rank, who.host}, who);
    if (!fresh && who.weight > it->second.weight) it->second = std::move(who);
  }

  CandidateList Best() const {
    CandidateList list;
    for (const auto& [key, who] : found_) {
      if (who.weight >= best_ - kAsGood) list.push_back(who);
    }
    const std::string_view common = CommonEnd(pairs_);
    const auto elsewhere = [&](const CulpritCandidate& who) { return who.host != common; };
    // Where the common end itself is not among the best, the pairs say nothing of who is.
    if (!common.empty() && !std::all_of(list.begin(), list.end(), elsewhere)) std::erase_if(list, elsewhere);
    std::stable_sort(list.begin(), list.end(), [](const CulpritCandidate& a, const CulpritCandidate& b) {
      return std::make_tuple(-a.weight, a.order) < std::make_tuple(-b.weight, b.order);
    });
    if (list.empty()) return list;
    // "h100-07" says nothing beside "rank 0 on h100-07".
    const auto said = [&list](const CulpritCandidate& who) {
      return who.rank < 0 && who.device.empty() && std::any_of(list.begin(), list.end(), [&](const auto& named) {
               return named.rank >= 0 && who.host == named.host;
             });
    };
    CandidateList kept;
    std::copy_if(list.begin(), list.end(), std::back_inserter(kept), std::not_fn(said));
    list = std::move(kept);
    const bool alike = std::all_of(list.begin(), list.end(), [&](const CulpritCandidate& who) {
      return who.why == list.front().why && who.rank >= 0;
    });
    list.resize(std::min(list.size(), alike ? kAlike : kCulprits));
    return list;
  }

 private:
  std::map<std::pair<int32_t, std::string>, CulpritCandidate> found_;  // by rank and host
  std::set<std::pair<std::string, std::string>> pairs_;                // (host that says it, host that it names)
  double best_ = 0;
};

double WeightFor(const Finding& finding, std::string_view cause) {
  double weight = 0;
  for (const Weight& w : finding.causes) {
    if (w.cause == cause) weight = std::max(weight, w.log_odds);
  }
  return weight;
}

// The one rank of a host that its launcher saw end: of a traceback under the label of a node only the host is known.
// What is wrong with the host itself is no rank's.
//   hgx-09: RuntimeError: CUDA error: invalid device ordinal      hgx-09:   rank      : 23 (local_rank: 7)
void NameEnded(const CaseFile& c, const Hypothesis& hypothesis, const CulpritResolver& resolver, CandidateList* list) {
  // `blame: self` only: a line that points elsewhere does not tell that its own rank ended.
  if (list->size() != 1 || list->front().rank >= 0 || list->front().host.empty()) return;
  const bool own = std::any_of(hypothesis.evidence.begin(), hypothesis.evidence.end(), [&](size_t n) {
    const EvidenceItem& item = c.items[n];
    return item.rule != nullptr && item.rule->blame == Blame::kSelf && item.finding.host == list->front().host;
  });
  if (own) list->front().rank = resolver.FailedOn(list->front().host);
}

// A host is accused, and of the ranks there one alone shows the same cause.
//   hpc-3 kernel: Memory cgroup out of memory: Killed process 9022 (pt_data_worker)
//   [rank9]: RuntimeError: DataLoader worker (pid 9022) is killed by signal: Killed.
void NameComplaining(const CaseFile& c, const Hypothesis& hypothesis, const CulpritResolver& resolver,
                     CandidateList* list) {
  if (list->size() != 1 || list->front().rank >= 0 || list->front().host.empty()) return;
  std::optional<CulpritCandidate> found;
  for (const size_t n : hypothesis.evidence) {
    const EvidenceItem& item = c.items[n];
    if (item.finding.role == Role::kContext || item.rule == nullptr || item.rule->blame != Blame::kSelf) continue;
    for (const CulpritCandidate& who : resolver.Resolve(item)) {
      if (who.rank < 0 || who.host != list->front().host) continue;
      // Two ranks that show it: neither is the one.
      if (found && found->rank != who.rank) return;
      found = who;
    }
  }
  if (!found) return;
  list->front().rank = found->rank;
  list->front().process = found->process;
}

// A kernel tells the host of a GPU that failed. Whose it was tells CUDA's error, which only that rank has: its peers
// lose a connection.
//   NVRM: Xid (PCI:0000:41:00): 79, …      [1,6]<stderr>:[CUDA ERROR] at file train.cu:412: unspecified launch failure
void NameOnItsGpu(const CaseFile& c, const Hypothesis& hypothesis, CandidateList* list) {
  const auto of_gpu = [](std::string_view cause) { return cause.starts_with("gpu."); };
  const bool by_bus = std::any_of(hypothesis.evidence.begin(), hypothesis.evidence.end(),
                                  [&](size_t n) { return !c.items[n].finding.Field("bus_id").empty(); });
  if (!by_bus || list->size() != 1 || list->front().rank >= 0 || list->front().host.empty()) return;
  const Finding* found = nullptr;
  for (const EvidenceItem& item : c.items) {
    const Finding& f = item.finding;
    const bool complains =
        item.rule != nullptr && !item.survived && f.role != Role::kContext && f.role != Role::kBenign;
    const bool gpu = std::any_of(f.causes.begin(), f.causes.end(),
                                 [&](const Weight& w) { return of_gpu(w.cause) && f.SpeaksFor(w.cause) > 0; });
    if (!complains || !gpu || f.rank < 0) continue;
    // Two ranks that have such an error, or one of another host: neither is the one.
    if (!f.host.empty() && f.host != list->front().host) return;
    if (found != nullptr && found->rank != f.rank) return;
    found = &f;
  }
  if (found == nullptr) return;
  list->front().rank = found->rank;
  list->front().process = found->process;
}

// Several hosts cannot reach one and the same peer, and nobody misses another one: it is that host, not who complains.
//   socketPollConnect: connect to 10.77.0.119<51903> returned Connection timed out, retrying      on node16 and node18
void NamePeerOfSeveral(const CaseFile& c, const Hypothesis& hypothesis, CandidateList* list) {
  std::set<std::string> peers, complain;
  for (const size_t n : hypothesis.evidence) {
    const Finding& f = c.items[n].finding;
    if (f.Field("peer").empty() || f.host.empty()) continue;
    const std::string_view host = c.model.ResolveAddress(f.Field("peer")).host;
    // Whose the address is nobody says, or his own.
    if (host.empty() || host == f.host) return;
    peers.emplace(host);
    complain.insert(f.host);
  }
  if (peers.size() != 1 || complain.size() < 2 || complain.contains(*peers.begin())) return;
  // A rank of that host says more than the host.
  const auto there = [&](const CulpritCandidate& known) { return known.host == *peers.begin(); };
  if (std::any_of(list->begin(), list->end(), there)) return;
  CulpritCandidate who;
  who.host = *peers.begin();
  who.why = c.chinese() ? "多台主机都连不上它，且只有它" : "several hosts cannot reach it, and only it";
  *list = {who};
}

// A cloud calls the machine i-0b2f9d7714ce01a93, a cluster calls the node of a pod gke-a100-7: no line of the job has
// that name, and the connections that closed all lead to one of its hosts.
void NameAsJobDoes(const CaseFile& c, CandidateList* list) {
  if (list->size() != 1 || list->front().rank >= 0 || list->front().host.empty()) return;
  CulpritCandidate& who = list->front();
  const auto is_host = [&](std::string_view host) {
    return std::find(c.model.hosts.begin(), c.model.hosts.end(), host) != c.model.hosts.end();
  };
  if (is_host(who.host) || !c.model.ResolveAddress(who.host).host.empty()) return;
  const std::string lost = LostHost(c.model, c.items);
  if (lost.empty() || !is_host(lost)) return;
  who.why = c.chinese() ? "故障行称之为 " + who.host + "；被关闭的连接都通向它"
                        : "the failing line calls it " + who.host + "; the connections that closed led there";
  who.host = lost;
}

Culprit Told(const CaseFile& c, const CulpritCandidate& who) {
  Culprit out;
  out.rank = who.rank;
  out.host = who.host;
  out.device = who.device;
  out.why = who.why;
  if (who.by_neighbours)
    out.why += c.chinese() ? "；主机由相邻 rank 推断" : "; its host is inferred from the ranks beside it";
  if (const std::string node(c.environment.NodeOfPod(who.host)); !node.empty()) {
    out.why += c.chinese() ? "；它在节点 " + node + " 上" : "; it ran on the node " + node;
  }
  if (who.process.valid()) {
    // systemd[1] in front of a line of the journal is whoever started the service, and nobody to look at.
    constexpr int64_t kInit = 1;
    const Process& process = c.model.processes[who.process.value];
    // nv-c3 systemd-logind[1410]: The system will reboot now!      a service that tells of its host
    const bool service = who.rank < 0 && process.warns == 0 && process.nccl_version.empty();
    if (process.pid != kInit && !service) out.pid = process.pid;
    out.gpu = process.gpu;
  }
  if (out.gpu < 0 || who.line_names_gpu) out.gpu = who.gpu;
  return out;
}

}  // namespace

std::vector<Culprit> FindCulprits(const CaseFile& c, const Hypothesis& hypothesis) {
  const CulpritResolver resolver(c.model, c.items, c.chinese());
  // Context tells what, seldom who: only where nothing else does, and where it compares hosts.
  const auto accused_by = [&](bool context) {
    Accused accused;
    for (size_t order = 0; order < hypothesis.evidence.size(); ++order) {
      const EvidenceItem& item = c.items[hypothesis.evidence[order]];
      if ((item.finding.role == Role::kContext) != context) continue;
      if (context && (item.rule == nullptr || item.rule->query.empty() || item.rule->blame != Blame::kHost)) continue;
      for (CulpritCandidate& who : resolver.Resolve(item)) {
        accused.Add(item, WeightFor(item.finding, hypothesis.cause), order, std::move(who));
      }
    }
    return accused.Best();
  };
  // Twice: roots and symptoms first, context only where they accuse nobody.
  CandidateList list = accused_by(false);
  if (list.empty()) list = accused_by(true);
  bool by_connections = false;
  if (const CauseTraits traits = c.kb.TraitsOf(hypothesis.cause); traits.one_rank) {
    resolver.NameSilent(c.items, &list);
    // A rank that is gone and whose own lines tell no host. Of one that is late the peers lose each other.
    const bool placeless = list.size() == 1 && list[0].rank >= 0 && list[0].host.empty();
    if (placeless && traits.gone) list[0].host = LostHost(c.model, c.items);
    by_connections = placeless && !list[0].host.empty();
    // Its host was not told by any line of its own: that it is inferred stands in the reason.
  }
  // In this order each adds what the ones before left open: it never replaces a rank that is known.
  if (c.kb.TraitsOf(hypothesis.cause).waits) resolver.NameMissing(c.items, &list);
  NameComplaining(c, hypothesis, resolver, &list);
  NameEnded(c, hypothesis, resolver, &list);
  NameOnItsGpu(c, hypothesis, &list);
  NamePeerOfSeveral(c, hypothesis, &list);
  NameEndedAlone(resolver, c.items, hypothesis, c.chinese(), &list);
  NameAsJobDoes(c, &list);
  std::vector<Culprit> culprits;
  for (const CulpritCandidate& who : list) culprits.push_back(Told(c, who));
  if (by_connections) {
    culprits[0].why +=
        c.chinese() ? "；主机由被关闭的连接推断" : "; its host is inferred from the connections that closed";
  }
  return culprits;
}

std::optional<Culprit> LostPeer(const CaseFile& c) {
  Culprit out;
  out.host = LostHost(c.model, c.items);
  if (out.host.empty()) return std::nullopt;
  out.why = c.chinese() ? "被关闭的连接都通向它" : "the connections that closed led there";
  return out;
}

}  // namespace ncclwhy

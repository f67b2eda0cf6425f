#include "analyze/blame.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "analyze/host_blocks.h"
#include "analyze/launcher_hosts.h"
#include "analyze/quoted_ranks.h"
#include "analyze/silent_rank.h"
#include "base/numbers.h"
#include "job/rank_in_text.h"

namespace ncclwhy {
namespace {

constexpr size_t kCulprits = 8;
// Behind the ends that are named, within what is listed beside them.
constexpr double kSecondEnd = 0.25;

struct Candidate {
  int32_t rank = -1;
  std::string host;
  ProcessId process;
  std::string device;
  std::string why;
  double weight = 0;
  size_t order = 0;
  bool second = false;  // the end that tells, not the one it names
};

std::string Get(const std::map<std::string, std::string>& fields, const char* name) {
  const auto it = fields.find(name);
  return it == fields.end() ? std::string() : it->second;
}

const Communicator* LargestOrNull(const JobModel& model) {
  return model.largest.valid() ? &model.communicators[model.largest.value] : nullptr;
}

class Resolver {
 public:
  Resolver(const JobModel& model, const std::vector<EvidenceItem>& items, bool chinese)
      : model_(model),
        hosts_(model),
        quoted_(items),
        launcher_hosts_(HostsByLauncher(model, items)),
        chinese_(chinese) {
    std::map<std::pair<const Rule*, std::string>, std::set<ProcessId>> processes;
    for (const EvidenceItem& i : items) {
      if (i.rule == nullptr || i.finding.host.empty() || !i.finding.process.valid()) continue;
      processes[{i.rule, i.finding.host}].insert(i.finding.process);
    }
    for (auto& [key, set] : processes) {
      if (set.size() > 1) others_.emplace(key, std::move(set));
    }
    for (const Process& p : model.processes) processes_.try_emplace(p.rank, p.id);
    for (const Edge& e : model.edges) {
      if (e.comm != model.largest || !e.transport.starts_with("NET")) continue;
      net_peers_[e.from].insert(e.to);
      net_peers_[e.to].insert(e.from);
    }
  }

  std::vector<Candidate> Resolve(const EvidenceItem& item) const {
    std::vector<Candidate> list = ResolveRole(item);
    for (Candidate& c : list) {
      if (c.rank < 0) c.rank = quoted_.OfHost(item.finding, c.host, c.process);
    }
    return list;
  }

  // All ranks but one say that they wait: it is that one, where nothing else names a rank. A host that is known must be
  // its own.
  void NameSilent(const std::vector<EvidenceItem>& items, std::vector<Candidate>* list) const {
    if (list->size() > 1 || (!list->empty() && list->front().rank >= 0)) return;
    Candidate c;
    c.rank = SilentRank(model_, items);
    if (c.rank < 0) return;
    FillRank(c);
    if (!list->empty() && !c.host.empty() && !list->front().host.empty() && c.host != list->front().host) return;
    c.why = Say("all other ranks wait for it", "其他 rank 都在等它");
    if (!list->empty()) {
      if (c.host.empty()) c.host = list->front().host;
      c.device = list->front().device;
    }
    list->assign(1, c);
  }

 private:
  std::vector<Candidate> ResolveRole(const EvidenceItem& item) const {
    const Blame blame = item.rule != nullptr ? item.rule->blame : Blame::kSelf;
    switch (blame) {
      case Blame::kNobody:
        return {};
      case Blame::kSelf:
        return Self(item.finding);
      case Blame::kHost:
        return Host(item.finding, item.rule);
      case Blame::kPeer:
        return Peer(item.finding);
      case Blame::kConnection:
        return Connection(item.finding);
      case Blame::kField:
        return Field(item.finding, item.rule);
    }
    return {};
  }

  std::string Say(const char* en, const char* zh) const { return chinese_ ? zh : en; }

  Candidate OfProcess(ProcessId id) const {
    Candidate c;
    c.process = id;
    c.rank = model_.RankOf(id);
    c.host = HostOf(id);
    return c;
  }

  std::string HostOf(ProcessId id) const {
    const auto it = launcher_hosts_.find(id);
    return it != launcher_hosts_.end() ? it->second : std::string(model_.processes[id.value].host);
  }

  // "28969 Killed", "Killed process 4242": who ended is known by its number, on the host of the line if that is told.
  ProcessId OfPid(const Finding& f) const {
    const auto pid = ParseInt<int64_t>(Get(f.fields, "pid"));
    ProcessId found;
    for (const Process& p : model_.processes) {
      if (!pid || p.pid != *pid) continue;
      if (!f.host.empty() && !p.host.empty() && f.host != p.host) continue;
      if (found.valid()) return {};
      found = p.id;
    }
    return found;
  }

  std::vector<Candidate> Self(const Finding& f) const {
    Candidate c;
    if (const ProcessId named = OfPid(f); named.valid()) {
      c = OfProcess(named);
    } else if (f.process.valid()) {
      c = OfProcess(f.process);
    } else {
      c.rank = f.rank;
      c.host = f.host;
    }
    // A traceback on a shared terminal belongs to no process, but may say whose it is.
    if (c.rank < 0) c.rank = RankInText(f.text);
    if (c.rank < 0) c.rank = quoted_.OfWords(f);
    if (c.host.empty()) c.host = HostBeforeRank(f.text);
    if (c.rank >= 0 && (!f.process.valid() || c.host.empty())) FillRank(c);
    if (c.rank < 0 && c.host.empty()) return {};
    c.device = Get(f.fields, "device");
    c.why = Say("it printed the failing line", "失败的那一行由它打印");
    return {c};
  }

  std::vector<Candidate> Host(const Finding& f, const Rule* rule) const {
    Candidate c;
    c.host = Get(f.fields, "culprit_host");
    if (c.host.empty()) c.host = f.host;
    if (c.host.empty()) return {};
    // A host of which one process alone complains: say which.
    if (const ProcessId named = OfPid(f); named.valid()) {
      c = OfProcess(named);
    } else if (c.host == f.host && f.process.valid()) {
      if (!others_.contains({rule, c.host})) c = OfProcess(f.process);
    }
    c.device = Get(f.fields, "device");
    c.why = Why(f, rule, HostsLine(f, rule));
    return {c};
  }

  // "ranks 0, 1 there print the failing line": who of the host does, where several do.
  std::string HostsLine(const Finding& f, const Rule* rule) const {
    constexpr size_t kListed = 8;
    std::set<int32_t> ranks;
    if (const auto it = others_.find({rule, f.host}); it != others_.end()) {
      for (const ProcessId id : it->second) ranks.insert(model_.RankOf(id));
    }
    if (ranks.size() < 2 || ranks.size() > kListed || *ranks.begin() < 0) {
      return Say("the failing line comes from this host", "失败的那一行来自这台主机");
    }
    std::string list;
    for (const int32_t rank : ranks) list += (list.empty() ? "" : ", ") + std::to_string(rank);
    return chinese_ ? "失败的那一行由其 rank " + list + " 打印" : "its ranks " + list + " print the failing line";
  }

  // Queries say why in English, with the figures of the case; in Chinese the rule's title stands in.
  std::string Why(const Finding& f, const Rule* rule, std::string otherwise) const {
    const std::string why = Get(f.fields, "why");
    if (why.empty()) return otherwise;
    return chinese_ && rule != nullptr && !rule->title_zh.empty() ? rule->title_zh : why;
  }

  std::vector<Candidate> Field(const Finding& f, const Rule* rule) const {
    Candidate c;
    const std::string rank = Get(f.fields, "culprit_rank");
    c.rank = ParseInt<int32_t>(rank).value_or(-1);
    c.host = Get(f.fields, "culprit_host");
    if (c.rank < 0 && c.host.empty()) return {};
    if (c.rank >= 0) FillRank(c);
    c.device = Get(f.fields, "device");
    c.why = Why(f, rule, Say("the ranks' logs compared point at it", "比较各 rank 的日志后指向它"));
    return {c};
  }

  void FillRank(Candidate& c) const {
    if (const auto it = processes_.find(c.rank); it != processes_.end()) {
      c.process = it->second;
      if (c.host.empty()) c.host = HostOf(it->second);
    }
    if (c.host.empty()) c.host = hosts_.HostOf(c.rank);
  }

  std::vector<Candidate> Peer(const Finding& f) const {
    const std::string why = Say("a peer's line points at it", "对端的日志指向它");
    if (const auto rank = ParseInt<int32_t>(Get(f.fields, "peer_rank"))) {
      Candidate c;
      c.rank = *rank;
      FillRank(c);
      c.why = why;
      return {c};
    }
    if (const auto local = ParseInt<int32_t>(Get(f.fields, "local_rank"))) {
      const Communicator* comm = LargestOrNull(model_);
      for (const Rank& r : comm != nullptr ? std::span<const Rank>(comm->ranks) : std::span<const Rank>()) {
        if (r.local_rank == *local && r.host == f.host && r.process.valid()) {
          Candidate c = OfProcess(r.process);
          c.why = why;
          return {c};
        }
      }
    }
    for (const char* name : {"peer_host", "peer", "address", "remote_gid"}) {
      const std::string value = Get(f.fields, name);
      if (value.empty()) continue;
      const JobModel::Owner owner = model_.ResolveAddress(value);
      if (owner.host.empty()) continue;
      Candidate c;
      c.host = std::string(owner.host);
      c.why = why;
      std::set<int32_t> peers = NetPeers(f, owner.host);
      if (peers.size() > 1) {
        // All but one have a log: the one that nobody heard.
        std::set<int32_t> unheard;
        for (const int32_t rank : peers) {
          if (!processes_.contains(rank)) unheard.insert(rank);
        }
        if (unheard.size() == 1) peers = unheard;
      }
      if (peers.size() == 1) {
        c.rank = *peers.begin();
        FillRank(c);
      } else if (peers.empty() && owner.processes.size() == 1) {
        c = OfProcess(owner.processes[0]);
        c.why = why;
      }
      return {c};
    }
    return {};
  }

  // Which end of a silent connection is at fault, neither end can see. A peer whose log just ends is it.
  std::vector<Candidate> Connection(const Finding& f) const {
    std::vector<Candidate> ends = Peer(f);
    if (ends.empty() || f.host.empty() || !f.process.valid() || ends.front().host == f.host) return ends;
    for (const Process& p : model_.processes) {
      const bool peer = ends.front().process.valid() ? p.id == ends.front().process : p.host == ends.front().host;
      if (peer && (p.log_just_ends || p.last_torn)) return ends;
    }
    Candidate here = OfProcess(f.process);
    here.why = Say("the other end of that connection", "该连接的另一端");
    here.second = true;
    ends.push_back(std::move(here));
    return ends;
  }

  // Ranks on `host` that the finding's rank talks to over the network, also those without a log.
  std::set<int32_t> NetPeers(const Finding& f, std::string_view host) const {
    std::set<int32_t> there;
    const int32_t rank = f.rank < 0 && f.process.valid() ? model_.RankOf(f.process) : f.rank;
    const auto peers = net_peers_.find(rank);
    if (rank < 0 || peers == net_peers_.end()) return there;
    for (const int32_t peer : peers->second) {
      Candidate c;
      c.rank = peer;
      FillRank(c);
      if (c.host == host) there.insert(peer);
    }
    return there;
  }

  const JobModel& model_;
  HostBlocks hosts_;
  QuotedRanks quoted_;
  std::map<ProcessId, std::string> launcher_hosts_;
  bool chinese_;
  // Rules that fired in several processes of a host, and these.
  std::map<std::pair<const Rule*, std::string>, std::set<ProcessId>> others_;
  std::map<int32_t, ProcessId> processes_;          // the first of each rank
  std::map<int32_t, std::set<int32_t>> net_peers_;  // by rank, of the largest communicator
};

// Causes that one rank has while the others wait for it. Of a network's faults both ends complain.
bool OneRankDid(std::string_view cause) {
  if (cause == "app.concurrent-comms") return false;
  const std::string_view family = cause.substr(0, cause.find('.'));
  return family == "app" || family == "host" || family == "gpu" || family == "mem";
}

// Two ends see a broken connection, and each names the other. The one host that every pair has in common, where pairs
// of three and more hosts say so; empty when there is none.
std::string_view CommonEnd(const std::set<std::pair<std::string, std::string>>& pairs) {
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

}  // namespace

std::vector<Culprit> FindCulprits(const JobModel& model, const std::vector<EvidenceItem>& items,
                                  const Hypothesis& hypothesis, Language language) {
  const Resolver resolver(model, items, language == Language::kChinese);
  std::map<std::pair<int32_t, std::string>, Candidate> found;
  std::set<std::pair<std::string, std::string>> pairs;  // (host that says it, host that it names)
  double best = 0;
  for (size_t order = 0; order < hypothesis.evidence.size(); ++order) {
    const EvidenceItem& item = items[hypothesis.evidence[order]];
    double weight = 0;
    for (const Weight& w : item.finding.causes) {
      if (w.cause == hypothesis.cause) weight = std::max(weight, w.log_odds);
    }
    // Context and symptoms tell what, seldom who.
    if (item.finding.role == Role::kContext) continue;
    for (Candidate& c : resolver.Resolve(item)) {
      // A line of every rank and a line that points at one: the pointing rule has the say.
      c.weight = weight + (item.rule != nullptr && item.rule->blame != Blame::kSelf ? 0.5 : 0.0);
      if (c.second) c.weight -= kSecondEnd;
      c.order = order;
      const bool names_peer = item.rule != nullptr && !c.second &&
                              (item.rule->blame == Blame::kPeer || item.rule->blame == Blame::kConnection);
      if (names_peer && !item.finding.host.empty() && !c.host.empty() && item.finding.host != c.host) {
        pairs.emplace(item.finding.host, c.host);
      }
      auto [it, fresh] = found.try_emplace({c.rank, c.host}, c);
      if (!fresh && c.weight > it->second.weight) it->second = c;
      best = std::max(best, c.weight);
    }
  }
  std::vector<Candidate> list;
  for (auto& [key, c] : found) {
    if (c.weight >= best - 0.75) list.push_back(std::move(c));
  }
  const std::string common(CommonEnd(pairs));
  const auto elsewhere = [&](const Candidate& c) { return c.host != common; };
  if (!common.empty() && !std::all_of(list.begin(), list.end(), elsewhere)) std::erase_if(list, elsewhere);
  std::stable_sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) {
    return std::make_tuple(-a.weight, a.order) < std::make_tuple(-b.weight, b.order);
  });
  // "h100-07" says nothing beside "rank 0 on h100-07".
  for (size_t i = list.size(); i-- > 1;) {
    const Candidate& named = list.front();
    if (list[i].rank < 0 && list[i].device.empty() && named.rank >= 0 && list[i].host == named.host) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  if (list.size() > kCulprits) list.resize(kCulprits);
  if (OneRankDid(hypothesis.cause)) resolver.NameSilent(items, &list);
  std::vector<Culprit> culprits;
  for (const Candidate& c : list) {
    Culprit out;
    out.rank = c.rank;
    out.host = c.host;
    out.device = c.device;
    out.why = c.why;
    if (c.process.valid()) {
      out.pid = model.processes[c.process.value].pid;
      out.gpu = model.processes[c.process.value].gpu;
    }
    culprits.push_back(std::move(out));
  }
  return culprits;
}

}  // namespace ncclwhy

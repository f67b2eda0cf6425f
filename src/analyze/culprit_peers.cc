// The other ends of connections, for CulpritResolver: the peer that a line names, and both ends of what broke.
#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/culprit_resolver.h"
#include "base/numbers.h"
#include "job/address_book.h"
#include "job/listed_names.h"

namespace ncclwhy {

CulpritResolver::Candidates CulpritResolver::Peer(const Finding& f) const {
  const std::string why = Say("a peer's line points at it", "对端的日志指向它");
  // The rank itself, a local rank of the same host, the program's own list of addresses, the owner of an address.
  if (const auto rank = ParseInt<int32_t>(Get(f.fields, "peer_rank"))) {
    CulpritCandidate c;
    c.rank = *rank;
    FillRank(c);
    c.why = why;
    return {c};
  }
  if (const auto local = ParseInt<int32_t>(Get(f.fields, "local_rank"))) {
    const Communicator* comm = model_.largest.valid() ? &model_.communicators[model_.largest.value] : nullptr;
    for (const Rank& r : comm != nullptr ? std::span<const Rank>(comm->ranks) : std::span<const Rank>()) {
      if (r.local_rank == *local && r.host == f.host && r.process.valid()) {
        CulpritCandidate c = OfProcess(r.process);
        c.why = why;
        return {c};
      }
    }
  }
  if (const std::string address = Get(f.fields, "address"); roll_.RankAt(address) >= 0) {
    CulpritCandidate c;
    c.rank = roll_.RankAt(address);
    FillRank(c);
    if (c.host.empty()) c.host = model_.ResolveAddress(address).host;
    c.why = why;
    return {c};
  }
  for (const char* name : {"peer_host", "peer", "address", "remote_gid"}) {
    const std::string value = Get(f.fields, name);
    if (value.empty()) continue;
    const JobModel::Owner owner = model_.ResolveAddress(value);
    if (owner.host.empty()) continue;
    CulpritCandidate c;
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
  for (const char* name : {"peer", "address", "remote_gid", "gid"}) {
    const std::string value = Get(f.fields, name);
    CulpritCandidate c;
    if (value.empty()) continue;
    c.host = HostListedWith(model_, value);
    if (c.host.empty()) c.host = OneLeft(value);
    // Who is listed under his own id: the line tells of himself.
    if (c.host.empty() || c.host == f.host) continue;
    c.why = why;
    return {c};
  }
  return Get(f.fields, "gid").empty() ? Candidates() : OtherOfTwo(f, why);
}

// Nobody complains of himself.
//   n1, n2, n4: NET/IB: Got completion from peer 10.120.4.35<45015> with status=12 …      n3: … from peer 10.120.4.31<…>
std::string CulpritResolver::OneLeft(const std::string& address) const {
  const auto complain = complain_of_.find(std::string(WithoutPort(address)));
  if (complain == complain_of_.end() || model_.hosts.size() < 3) return {};
  std::string left;
  for (const std::string& host : model_.hosts) {
    if (complain->second.contains(host)) continue;
    if (!left.empty()) return {};
    left = host;
  }
  return left;
}

// A peer that is told by its GID alone is reached over the network: where there is one other host, it is that one. A
// connection without a name may be one within the host.
CulpritResolver::Candidates CulpritResolver::OtherOfTwo(const Finding& f, const std::string& why) const {
  if (model_.hosts.size() != 2) return {};
  const auto own = std::find(model_.hosts.begin(), model_.hosts.end(), f.host);
  if (own == model_.hosts.end()) return {};
  CulpritCandidate c;
  c.host = std::string(model_.hosts[own == model_.hosts.begin() ? 1 : 0]);
  c.why = why;
  return {c};
}

// Which end of a silent connection is at fault, neither end can see. A peer whose log just ends is it.
CulpritResolver::Candidates CulpritResolver::Connection(const Finding& f) const {
  Candidates ends = Peer(f);
  if (ends.empty() || f.host.empty() || !f.process.valid() || ends.front().host == f.host) return ends;
  for (const Process& p : model_.processes) {
    // Its log stops in the middle: it went first, and this end only noticed.
    const bool peer = ends.front().process.valid() ? p.id == ends.front().process : p.host == ends.front().host;
    if (peer && (p.log_just_ends || p.last_torn)) return ends;
  }
  CulpritCandidate here = OfProcess(f.process);
  here.why = Say("the other end of that connection", "该连接的另一端");
  here.second = true;
  ends.push_back(std::move(here));
  return ends;
}

// Ranks on `host` that the finding's rank talks to over the network, also those without a log.
std::set<int32_t> CulpritResolver::NetPeers(const Finding& f, std::string_view host) const {
  std::set<int32_t> there;
  const int32_t rank = f.rank < 0 && f.process.valid() ? model_.RankOf(f.process) : f.rank;
  const auto peers = net_peers_.find(rank);
  if (rank < 0 || peers == net_peers_.end()) return there;
  for (const int32_t peer : peers->second) {
    CulpritCandidate c;
    c.rank = peer;
    FillRank(c);
    if (c.host == host) there.insert(peer);
  }
  return there;
}

}  // namespace ncclwhy

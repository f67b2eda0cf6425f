#include "gen/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "gen/random.h"

namespace ncclwhy::bench {

int Job::RanksOn(int host) const { return std::min(per_host_, spec_.ranks - host * per_host_); }

std::string Job::HostName(int host) const {
  static constexpr std::array<std::string_view, 5> kFamilies = {"worker-", "gpu-a", "node", "h100-", "dgx"};
  const auto family = kFamilies[Mix(spec_.seed, 1) % kFamilies.size()];
  const int first = 1 + static_cast<int>(Mix(spec_.seed, 2) % 40);
  const int digits = hosts() + first < 100 ? 2 : hosts() + first < 1000 ? 3 : 4;
  return fmt::format("{}{:0{}}", family, first + host, digits);
}

std::string Job::Address(int host) const { return fmt::format("10.77.{}.{}", host / 200, 10 + host % 200); }

int Job::Port(int rank, int nth) const {
  return 32800 +
         static_cast<int>(Mix(spec_.seed + 3, static_cast<uint64_t>(rank) * 64 + static_cast<uint64_t>(nth)) % 28000);
}

int Job::Pid(int rank) const {
  // Hosts count pids on their own; ranks of one host start one after the other.
  const int base = 4000 + static_cast<int>(Mix(spec_.seed + 4, static_cast<uint64_t>(HostOf(rank))) % 90000);
  return base + 3 * LocalOf(rank);
}

uint64_t Job::CommPointer(int rank, Group group) const {
  const uint64_t mixed = Mix(spec_.seed + 5, static_cast<uint64_t>(rank) * 4 + static_cast<uint64_t>(group));
  // Up to 2.22 the structure comes from malloc (0x55…), later from its own mapping (0x7f…).
  if (era_.code < 22300 || group != Group::kWorld) return 0x550000000000ull | (mixed & 0xfffffff000ull) | 0xf30ull;
  return 0x7f0000000000ull | (mixed & 0xfffffff000ull) | 0x010ull;
}

int Job::GroupSize(int, Group group) const {
  if (group == Group::kWorld) return spec_.ranks;
  return group == Group::kTensor ? spec_.tensor : spec_.ranks / spec_.tensor;
}

int Job::GroupRank(int rank, Group group) const {
  if (group == Group::kWorld) return rank;
  return group == Group::kTensor ? rank % spec_.tensor : rank / spec_.tensor;
}

uint64_t Job::CommId(int rank, Group group) const {
  uint64_t color = 0;
  if (group == Group::kTensor) color = static_cast<uint64_t>(rank / spec_.tensor) + 1;
  if (group == Group::kData) color = static_cast<uint64_t>(rank % spec_.tensor) + 1;
  return Mix(spec_.seed + 6, color * 4 + static_cast<uint64_t>(group));
}

int Job::RingNext(int rank, int channel) const {
  const int host = HostOf(rank), count = RanksOn(host);
  const int position = (LocalOf(rank) - Entry(host, channel) + count) % count;
  if (position + 1 < count) return host * per_host_ + (LocalOf(rank) + 1) % count;
  return Head((host + 1) % hosts(), channel);
}

int Job::RingPrevious(int rank, int channel) const {
  const int host = HostOf(rank), count = RanksOn(host);
  if (rank != Head(host, channel)) return host * per_host_ + (LocalOf(rank) + count - 1) % count;
  const int before = (host + hosts() - 1) % hosts();
  return before * per_host_ + (Entry(before, channel) + RanksOn(before) - 1) % RanksOn(before);
}

// The tree of a channel is a binary heap over hosts, turned by the channel so that it is not always host 0 on top.
int Job::TreePosition(int host, int channel) const { return (host + hosts() - channel % hosts()) % hosts(); }
int Job::TreeHost(int position, int channel) const { return (position + channel) % hosts(); }

int Job::TreeUp(int rank, int channel) const {
  const int host = HostOf(rank);
  if (rank != Head(host, channel)) return RingPrevious(rank, channel);
  const int position = TreePosition(host, channel);
  return position == 0 ? -1 : Head(TreeHost((position - 1) / 2, channel), channel);
}

std::vector<int> Job::TreeDown(int rank, int channel) const {
  const int host = HostOf(rank);
  std::vector<int> down = {-1, -1, -1};
  const int next = RingNext(rank, channel);
  if (HostOf(next) == host && next != Head(host, channel)) down[0] = next;
  if (rank != Head(host, channel)) return down;
  const int position = TreePosition(host, channel);
  for (int i = 1; i <= 2; ++i) {
    if (2 * position + i < hosts()) down[static_cast<size_t>(i)] = Head(TreeHost(2 * position + i, channel), channel);
  }
  return down;
}

Edge Job::MakeEdge(int rank, int channel, int peer, bool sends) const {
  return Edge{channel, peer, sends, HostOf(peer) != HostOf(rank)};
}

std::vector<Edge> Job::RingEdges(int rank) const {
  std::vector<Edge> edges;
  for (int channel = 0; channel < spec_.channels; ++channel) {
    const int previous = RingPrevious(rank, channel);
    if (HostOf(previous) != HostOf(rank)) edges.push_back(MakeEdge(rank, channel, previous, false));
  }
  for (int channel = 0; channel < spec_.channels; ++channel) {
    const int next = RingNext(rank, channel);
    if (next != rank) edges.push_back(MakeEdge(rank, channel, next, true));
  }
  return edges;
}

std::vector<Edge> Job::TreeEdges(int rank) const {
  std::vector<Edge> edges;
  for (int channel = 0; channel < spec_.channels; ++channel) {
    std::vector<int> peers = TreeDown(rank, channel);
    peers.push_back(TreeUp(rank, channel));
    for (int peer : peers) {
      if (peer < 0 || HostOf(peer) == HostOf(rank)) continue;
      edges.push_back(MakeEdge(rank, channel, peer, false));
      edges.push_back(MakeEdge(rank, channel, peer, true));
    }
    const int up = TreeUp(rank, channel);
    if (up >= 0 && HostOf(up) == HostOf(rank)) edges.push_back(MakeEdge(rank, channel, up, true));
  }
  return edges;
}

std::vector<int> Job::NetPeers(int rank) const {
  std::set<int> peers;
  for (const auto& edges : {RingEdges(rank), TreeEdges(rank)}) {
    for (const Edge& edge : edges) {
      if (edge.net) peers.insert(edge.peer);
    }
  }
  return {peers.begin(), peers.end()};
}

}  // namespace ncclwhy::bench

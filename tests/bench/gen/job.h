// Job: the imaginary job. Who runs where, under which ids, and who is connected to whom. Everything is a function of
// the spec: nothing is stored per rank, so a job of any size costs nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gen/era.h"
#include "gen/spec.h"

namespace ncclwhy::bench {

// The communicators of a rank: the world, and with --tensor the two that are split from it.
enum class Group { kWorld, kTensor, kData };

// One edge of a rank in one channel.
struct Edge {
  int channel = 0;
  int peer = -1;
  bool sends = false;
  bool net = false;  // over the network; else within the host
};

class Job {
 public:
  Job(const Spec& spec, const Era& era)
      : spec_(spec), era_(era), per_host_((spec.ranks + spec.hosts - 1) / spec.hosts) {}

  const Spec& spec() const { return spec_; }
  const Era& era() const { return era_; }
  int ranks() const { return spec_.ranks; }
  int hosts() const { return (spec_.ranks + per_host_ - 1) / per_host_; }
  int per_host() const { return per_host_; }

  int HostOf(int rank) const { return rank / per_host_; }
  int LocalOf(int rank) const { return rank % per_host_; }
  int RanksOn(int host) const;
  std::string HostName(int host) const;
  std::string Address(int host) const;  // "10.77.0.10"
  int Port(int rank, int nth) const;
  int Pid(int rank) const;
  static uint64_t BusId(int local) { return 0x10000ull * static_cast<uint64_t>(local + 1); }

  uint64_t CommPointer(int rank, Group group) const;
  uint64_t CommId(int rank, Group group) const;
  int GroupSize(int rank, Group group) const;
  int GroupRank(int rank, Group group) const;
  bool HasGroups() const { return spec_.tensor > 1 && spec_.ranks % spec_.tensor == 0; }

  // Neighbours in the ring of a channel. Each channel enters a host at another GPU, as real rings do.
  int RingNext(int rank, int channel) const;
  int RingPrevious(int rank, int channel) const;
  int TreeUp(int rank, int channel) const;
  std::vector<int> TreeDown(int rank, int channel) const;  // next in the host, then heads of other hosts

  std::vector<Edge> RingEdges(int rank) const;
  std::vector<Edge> TreeEdges(int rank) const;
  // Ranks of other hosts that share a connection with `rank`, ascending.
  std::vector<int> NetPeers(int rank) const;

 private:
  int Entry(int host, int channel) const { return channel % RanksOn(host); }
  int Head(int host, int channel) const { return host * per_host_ + Entry(host, channel); }
  int TreeHost(int position, int channel) const;
  int TreePosition(int host, int channel) const;
  Edge MakeEdge(int rank, int channel, int peer, bool sends) const;

  const Spec& spec_;
  const Era& era_;
  int per_host_;
};

}  // namespace ncclwhy::bench

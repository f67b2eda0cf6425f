#include "gen/fault.h"

#include <fmt/format.h>

#include "gen/random.h"

namespace ncclwhy::bench {

Fate Fault::FateOf(int) const {
  Fate fate;
  fate.calls = steps();
  return fate;
}

Call Fault::CallOf(int, uint64_t index) const { return WorldCall(index); }

int Fault::CulpritRank() const {
  const uint64_t chosen = Mix(job_.spec().seed + 10, static_cast<uint64_t>(job_.ranks()));
  const int host = static_cast<int>(chosen % static_cast<uint64_t>(job_.hosts()));
  const int local = (chosen >> 32) % 2 == 0 ? 0 : job_.RanksOn(host) - 1;
  const int rank = host * job_.per_host() + local;
  return rank == 0 ? job_.RanksOn(0) - 1 : rank;  // rank 0 is special in start-up
}

int Fault::CulpritHost() const {
  if (job_.hosts() == 1) return 0;
  return 1 + static_cast<int>(Mix(job_.spec().seed + 11, 1) % static_cast<uint64_t>(job_.hosts() - 1));
}

std::string Fault::RankOnHost(int rank) const {
  return fmt::format("rank {} on {}", rank, job_.HostName(job_.HostOf(rank)));
}

std::vector<FaultKind> FaultKinds() {
  std::vector<FaultKind> kinds;
  for (auto part : {ProcessFaults(), CollectiveFaults(), StartupFaults(), HostFaults(), NetworkFaults()}) {
    kinds.insert(kinds.end(), part.begin(), part.end());
  }
  return kinds;
}

}  // namespace ncclwhy::bench

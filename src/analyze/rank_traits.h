// RankTraits: what each process of a job is like as far as its log tells: versions, networks, paths. One short text per
// trait and process, made to be compared: addresses, pids and pointers are not in it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "job/job_model.h"
#include "ncclwhy/language.h"

namespace ncclwhy {

enum class Trait : uint8_t {
  kNcclVersion,
  kCudaVersion,
  kDriverVersion,
  kNetwork,       // what "Using network" named
  kNics,          // number and kind: "2 RoCE"
  kNicNames,      // "mlx5_0:1 mlx5_1:1"
  kBetweenHosts,  // transports of its edges to other hosts: "NET/IB"
  kInsideHost,    // transports between the ranks of its host: "P2P/CUMEM, SHM"
  kGdr,           // GPUDirect RDMA on its edges to other hosts
  kBootstrapInterface,
  kBootstrapSubnet,
  kChannels,
  kNvls,
  kMnnvl,
};
inline constexpr int kTraits = static_cast<int>(Trait::kMnnvl) + 1;

// "nccl-version": stable, for JSON and ids.
std::string_view TraitName(Trait trait);
std::string_view TraitLabel(Trait trait, Language language);

struct TraitValue {
  std::string text;
  Place place;  // a line that says so; line 0 when none does by itself
};
struct RankTraits {
  ProcessId process;
  std::map<Trait, TraitValue> values;
};

// One entry for each process that has at least one trait, in the order of processes.
std::vector<RankTraits> ReadRankTraits(const JobModel& model);

// The host of a rank of a communicator; empty when unknown.
using RankHosts = std::map<std::pair<CommId, int32_t>, std::string_view>;
RankHosts HostsOfRanks(const JobModel& model);

// "[0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]" → {mlx5_0:1, IB}, {mlx5_1:1, IB}; "[0]eth0:10.0.0.3<0>" → {eth0, Socket}.
struct Nic {
  std::string name;
  std::string kind;
};
std::vector<Nic> ListedNics(std::string_view devices);

}  // namespace ncclwhy

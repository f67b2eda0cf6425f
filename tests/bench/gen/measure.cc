#include "gen/measure.h"

#include <algorithm>
#include <memory>
#include <string>

#include "gen/fault.h"
#include "gen/job.h"
#include "gen/rank_log.h"

namespace ncclwhy::bench {
namespace {

// Bytes of the whole job, from at most 64 of its ranks.
double BytesOf(const Spec& spec) {
  const Job job(spec, *FindEra(spec.version));
  std::unique_ptr<Fault> fault;
  for (const FaultKind& kind : FaultKinds()) {
    if (kind.name == spec.fault) fault = kind.make(job);
  }
  const int stride = std::max(1, spec.ranks / 64);
  double bytes = 0;
  int sampled = 0;
  std::string piece;
  for (int rank = 0; rank < spec.ranks; rank += stride, ++sampled) {
    RankLog log(job, *fault, rank);
    while (log.Next(&piece)) bytes += static_cast<double>(piece.size());
  }
  return bytes * spec.ranks / sampled;
}

}  // namespace

bool FitToSize(Spec* spec) {
  constexpr uint64_t kFew = 64, kMany = 576;
  uint64_t& amount = spec->warn_heavy ? spec->repeats : spec->steps;
  Spec probe = *spec;
  uint64_t& probed = spec->warn_heavy ? probe.repeats : probe.steps;
  probed = kFew;
  const double few = BytesOf(probe);
  probed = kMany;
  const double each = (BytesOf(probe) - few) / static_cast<double>(kMany - kFew);
  if (each <= 0) return false;
  const double fixed = few - each * static_cast<double>(kFew);
  amount = static_cast<uint64_t>(std::max(1.0, (static_cast<double>(spec->size) - fixed) / each));
  return true;
}

}  // namespace ncclwhy::bench

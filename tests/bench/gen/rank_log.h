// RankLog: the log of one rank, piece by piece, so that ranks can be interleaved and no log is ever in memory as a
// whole.
#pragma once

#include <cstdint>
#include <string>

#include "gen/fault.h"
#include "gen/noise.h"

namespace ncclwhy::bench {

class RankLog {
 public:
  // `job` and `fault` are borrowed.
  RankLog(const Job& job, const Fault& fault, int rank);

  bool absent() const { return fate_.reaches == Stage::kAbsent; }
  int rank() const { return rank_; }

  // Replaces *piece with the next one; false at the end. A piece ends with a newline.
  bool Next(std::string* piece);

 private:
  enum class Phase { kLoading, kTopology, kConnections, kCalls, kStorm, kEnding, kDone };
  void PrintStep(Printer* printer);
  void Print(Printer* printer);

  const Job& job_;
  const Fault& fault_;
  int rank_;
  Fate fate_;
  Noise noise_;
  Phase phase_ = Phase::kLoading;
  uint64_t step_ = 0;   // within the phase
  uint64_t calls_ = 0;  // on the tensor group
};

// How often a WARN that the version repeats is printed by default.
uint64_t DefaultRepeats(const Era& era);

}  // namespace ncclwhy::bench

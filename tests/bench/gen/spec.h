// Spec: what a log is asked to be. Filled from the command line, then only read.
#pragma once

#include <cstdint>
#include <string>

namespace ncclwhy::bench {

// NCCL_DEBUG and NCCL_DEBUG_SUBSYS together: each level has what the one before has, and more.
enum class Verbosity { kWarn, kInit, kColl, kAll, kTrace };

enum class Layout { kRank, kHost, kSingle };

// What stands in front of every line of a shared file: nothing, "[1,3]<stdout>:" or "3: ".
enum class Launcher { kNone, kMpirun, kSrun };

struct Spec {
  std::string out;
  int ranks = 16;
  int hosts = 2;
  std::string version = "2.28.9";
  std::string fault = "none";
  uint64_t seed = 1;
  Layout layout = Layout::kRank;
  Verbosity verbosity = Verbosity::kColl;
  Launcher launcher = Launcher::kNone;
  uint64_t steps = 12;   // collectives of each rank on the world communicator until the fault
  uint64_t size = 0;     // wanted bytes; steps (or repeats) are derived from it
  uint64_t repeats = 0;  // how often a WARN that repeats is repeated; 0 = as the version does
  int channels = 2;
  int tensor = 0;  // > 1: split into tensor groups of this many ranks, and data groups across them
  bool infiniband = false;
  bool brief = false;  // leave out start-up chatter that carries no state
  bool warn_heavy = false;
  bool torn = false;
  bool foreign = false;
  bool peer_chatter = false;  // INFO only and a size: steps are connections to ever more peers
};

}  // namespace ncclwhy::bench

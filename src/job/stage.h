// Stage: how far a rank got in the life of a communicator.
#pragma once

#include <cstdint>
#include <string_view>

namespace ncclwhy {

enum class Stage : uint8_t {
  kNone,       // nothing seen
  kProcess,    // the process wrote a line
  kBootstrap,  // Init START, or a bootstrap interface was chosen
  kTopology,   // comm … nRanks … nNodes, affinity, graph search
  kChannels,   // rings, trees, edges
  kConnected,  // Connected all …, coll channels
  kReady,      // Init COMPLETE
  kRunning,    // at least one collective was issued or connected after init
  kAborted,    // Abort START or COMPLETE
  kDestroyed,  // Destroy COMPLETE
};
std::string_view StageName(Stage stage);

}  // namespace ncclwhy

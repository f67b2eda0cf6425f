// Stage: how far a rank got in the life of a communicator.
#pragma once

#include <cstdint>
#include <string_view>

namespace ncclwhy {

// In their order: of two ranks the lesser one is behind. kAborted and kDestroyed say nothing of how far a rank had
// come; Rank::reached does.
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
// As in reports: "bootstrap". Valid for the life of the program.
std::string_view StageName(Stage stage);

}  // namespace ncclwhy

#include "job/stage.h"

namespace ncclwhy {

std::string_view StageName(Stage stage) {
  switch (stage) {
    case Stage::kNone:
      return "none";
    case Stage::kProcess:
      return "process";
    case Stage::kBootstrap:
      return "bootstrap";
    case Stage::kTopology:
      return "topology";
    case Stage::kChannels:
      return "channels";
    case Stage::kConnected:
      return "connected";
    case Stage::kReady:
      return "ready";
    case Stage::kRunning:
      return "running";
    case Stage::kAborted:
      return "aborted";
    case Stage::kDestroyed:
      return "destroyed";
  }
  return "none";
}

}  // namespace ncclwhy

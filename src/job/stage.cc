#include "job/stage.h"

#include <array>
#include <cstddef>

namespace ncclwhy {
namespace {

// In their order.
constexpr std::array<std::string_view, 10> kStages = {"none",      "process", "bootstrap", "topology", "channels",
                                                      "connected", "ready",   "running",   "aborted",  "destroyed"};
static_assert(kStages.size() == static_cast<size_t>(Stage::kDestroyed) + 1);

}  // namespace

std::string_view StageName(Stage stage) { return kStages[static_cast<size_t>(stage)]; }

}  // namespace ncclwhy

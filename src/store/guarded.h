// Guarded: the border of this room.
#pragma once

#include <exception>
#include <string>

#include "ncclwhy/status.h"

namespace ncclwhy {

// A room's border: json, fmt and the standard library may throw.
template <typename Work>
auto Guarded(Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& error) {
    return Status::Internal(std::string("the timeline failed: ") + error.what());
  }
}

}  // namespace ncclwhy

// NoThrow: what stands at the border of the library. See ncclwhy/status.h: no exception crosses it.
#pragma once

#include <exception>
#include <new>

#include "ncclwhy/status.h"

namespace ncclwhy {

// An allocation that fails inside RE2 ends the program: that is no exception.
// Runs `call`, which returns a Status or a Result. What it throws becomes kInternal.
template <typename Call>
auto NoThrow(const Call& call) noexcept -> decltype(call()) {
  // A string of so few characters needs no memory, of which there may be none.
  constexpr const char* kNoMemory = "out of memory";
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return Status::Internal(kNoMemory);
  } catch (const std::exception& error) {
    try {
      return Status::Internal(error.what());
    } catch (...) {
      return Status::Internal(kNoMemory);
    }
  } catch (...) {
    return Status::Internal("defect");
  }
}

}  // namespace ncclwhy

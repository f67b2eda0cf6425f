// How loud a line sounds to somebody who reads the log for the first time.
#pragma once

#include <string_view>

namespace ncclwhy {

// 0 nothing that one stops at, 1 "Failed to open libibverbs.so", 2 "step watchdog: no progress", 3 "CUDA out of
// memory".
int AlarmOf(std::string_view text);

// Which from there on is taken for the failure.
inline constexpr int kAlarming = 2;

}  // namespace ncclwhy

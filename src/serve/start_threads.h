// StartThreads: as many threads as the system gives.
#pragma once

#include <cstddef>
#include <functional>
#include <system_error>
#include <thread>
#include <vector>

namespace ncclwhy {

// Starts `count` threads. Fewer than that are fewer; throws std::system_error when there is none.
// A container's limit of processes (pids.max) is met here first; a server with half of its threads still serves.
// `work` is copied into each thread. The caller joins them: a vector of running threads must not be destroyed.
inline void StartThreads(size_t count, const std::function<void()>& work, std::vector<std::thread>* threads) {
  threads->reserve(count);
  while (threads->size() < count) {
    try {
      threads->emplace_back(work);
    } catch (const std::system_error&) {
      if (threads->empty()) throw;
      return;
    }
  }
}

}  // namespace ncclwhy

// RemovedOnSignal: an unfinished file is taken away when a signal ends the program. One at a time.
#pragma once

#include <string>

namespace ncclwhy {

class RemovedOnSignal {
 public:
  explicit RemovedOnSignal(const std::string& path);
  ~RemovedOnSignal();
  RemovedOnSignal(const RemovedOnSignal&) = delete;
  RemovedOnSignal& operator=(const RemovedOnSignal&) = delete;
};

}  // namespace ncclwhy

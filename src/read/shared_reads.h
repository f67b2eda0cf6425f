// SharedReads: the large files that are being read. Threads that have no file of their own left help with them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "read/segmented_read.h"

namespace ncclwhy {

// Thread-safe. `busy_` counts threads that may still open a file: as long as there are some, those without work wait.
class SharedReads {
 public:
  // So many threads have files of their own to read.
  explicit SharedReads(size_t busy) : busy_(busy) {}

  // From now on others may help.
  void Open(std::shared_ptr<SegmentedRead> read) {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_.push_back(std::move(read));
    changed_.notify_all();
  }

  // For a thread that could not be started.
  void Leave() {
    const std::lock_guard<std::mutex> lock(mutex_);
    --busy_;
    changed_.notify_all();
  }

  // For a thread that has no file of its own any more: helps the others until all are at this point.
  // Returns when nobody will open a file any more.
  void HelpOthers() {
    Leave();
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return busy_ == 0 || !open_.empty(); });
      if (open_.empty()) return;
      const std::shared_ptr<SegmentedRead> read = open_.front();
      lock.unlock();
      read->Help();
      lock.lock();
      std::erase(open_, read);  // nothing of it is left to be begun
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<SegmentedRead>> open_;
  size_t busy_;
};

}  // namespace ncclwhy

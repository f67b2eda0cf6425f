// ConnectionPool: the threads that talk to clients, for httplib. When all are busy and the queue is full, no further
// connection is accepted: they wait in the kernel's backlog.
#pragma once

#include <httplib.h>

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace ncclwhy {

class ConnectionPool : public httplib::TaskQueue {
 public:
  ConnectionPool(size_t threads, size_t queue) : queue_(queue) {
    for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
  }

  // Newer releases of httplib want to know whether the connection was taken; it always is, sooner or later.
  using Taken = decltype(std::declval<httplib::TaskQueue&>().enqueue(std::function<void()>()));
  Taken enqueue(std::function<void()> connection) override {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return connections_.size() < queue_; });
    connections_.push_back(std::move(connection));
    changed_.notify_all();
    return Taken(true);
  }

  void shutdown() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  void Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stopping_ || !connections_.empty(); });
      if (connections_.empty()) return;
      const std::function<void()> connection = std::move(connections_.front());
      connections_.pop_front();
      changed_.notify_all();
      lock.unlock();
      connection();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> connections_;
  std::vector<std::thread> threads_;
  const size_t queue_;
  bool stopping_ = false;
};

}  // namespace ncclwhy

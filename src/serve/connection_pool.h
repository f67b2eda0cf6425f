// ConnectionPool: threads that talk to clients, and a bounded queue before them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "serve/start_threads.h"

namespace ncclwhy {

// Of all requests with a body, or of all without one (gated_server.h).
// Unlike JobPool's, these threads mostly wait: for the bytes of a client, and for the job that another thread works on.
class ConnectionPool {
 public:
  // `queue`: how many may wait for a thread; more are told to come again, so that a flood costs no memory.
  // Fewer threads where the system gives no more; std::system_error where it gives none.
  ConnectionPool(size_t threads, size_t queue) : queue_(queue) {
    StartThreads(
        threads, [this] { Work(); }, &threads_);
  }

  // False when the queue is full.
  // `connection` must not throw. From any thread; behind shutdown nobody would serve it, so nothing may be enqueued
  // then.
  bool TryEnqueue(std::function<void()> connection) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (connections_.size() >= queue_) return false;
    connections_.push_back(std::move(connection));
    changed_.notify_one();
    return true;
  }

  // Waits for all connections, as shutdown does; both may be called.
  ~ConnectionPool() { shutdown(); }
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  // Serves what is there, and ends.
  void shutdown() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  // What a thread does until shutdown: the oldest connection, without the lock.
  void Work() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stopping_ || !connections_.empty(); });
      if (connections_.empty()) return;
      const std::function<void()> connection = std::move(connections_.front());
      connections_.pop_front();
      lock.unlock();
      connection();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  // The oldest first. Guarded by mutex_, as is stopping_.
  std::deque<std::function<void()>> connections_;
  std::vector<std::thread> threads_;
  const size_t queue_;
  bool stopping_ = false;
};

}  // namespace ncclwhy

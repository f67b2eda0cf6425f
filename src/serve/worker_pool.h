// WorkerPool: a fixed number of threads and a bounded queue before them. What does not fit is refused, not kept, so
// that a flood costs no memory.
//
// Thread-safe.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ncclwhy {

// A server has one for its analyses, with as many threads as processors, since a job computes all the time, and two for
// its connections (gated_server.h), whose threads mostly wait: for the bytes of a client, and for such a job.
class WorkerPool {
 public:
  // Fewer threads where the system gives no more (start_threads.h); std::system_error where it gives none.
  WorkerPool(size_t threads, size_t queue);
  // Waits for the jobs that run or wait, as Shutdown does; both may be called.
  ~WorkerPool() { Shutdown(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // False when the queue is full. Jobs must not throw.
  // The job is kept until it has run, so it owns what it needs (a shared_ptr). Jobs begin in the order in which they
  // came.
  bool Submit(std::function<void()> job);

  // Runs what waits, and ends; nothing may be submitted then.
  void Shutdown();

  // Whether Submit would be refused now: to say so early. Another may come first, so Submit is asked all the same.
  bool full() const;
  // Jobs that a thread works on at this moment.
  // For /metrics: true at the moment of the call only.
  size_t running() const;
  size_t waiting() const;

 private:
  void Work();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Those that wait; guarded by mutex_, as are running_ and stopping_.
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  size_t queue_;
  size_t running_ = 0;
  bool stopping_ = false;
};

}  // namespace ncclwhy

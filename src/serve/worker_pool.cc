#include "serve/worker_pool.h"

#include <utility>

#include "serve/start_threads.h"

namespace ncclwhy {

WorkerPool::WorkerPool(size_t threads, size_t queue) : queue_(queue) {
  StartThreads(
      threads, [this] { Work(); }, &threads_);
}

// Jobs that wait are run, not dropped: somebody waits for each of their answers.
void WorkerPool::Shutdown() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool WorkerPool::Submit(std::function<void()> job) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Threads that are free take from the queue at once, so they are room, too.
    if (stopping_ || jobs_.size() + running_ >= threads_.size() + queue_) return false;
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
  return true;
}

bool WorkerPool::full() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stopping_ || jobs_.size() + running_ >= threads_.size() + queue_;
}

size_t WorkerPool::running() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return running_;
}

size_t WorkerPool::waiting() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return jobs_.size();
}

void WorkerPool::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    ++running_;
    lock.unlock();
    job();
    // A server that is told "nothing runs" may free what the job used.
    job = nullptr;  // what it holds is freed before it counts as done
    lock.lock();
    --running_;
  }
}

}  // namespace ncclwhy

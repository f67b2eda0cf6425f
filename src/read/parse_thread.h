// ParseThread: a sink that lets another thread parse what this one unpacks, which is as much work. A plain file is
// pushed on directly: reading it is an eighth of the work, less than handing it over costs.
//
//   reading thread    read, unpack → Push ──slots──→ sink.Push    other thread
//
// What a line means depends on the lines before it, so the bytes of one source stay in order and in one thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "read/source.h"

namespace ncclwhy {

class ParseThread : public ByteSink {
 public:
  // Bytes of a source that are pushed on directly in any case: a thread costs more than it saves on a small one.
  static constexpr size_t kDirectBytes = 4u << 20;

  // `sink` is borrowed; only one thread at a time calls it.
  explicit ParseThread(ByteSink& sink) : sink_(sink) {}
  // Waits for the other thread. What the sink threw and nobody heard of is lost.
  ~ParseThread() override;
  ParseThread(const ParseThread&) = delete;
  ParseThread& operator=(const ParseThread&) = delete;

  // Each throws what the sink threw in the other thread, once.
  // From here on a thread may pay.
  void OnPacked() override { alone_ = false; }
  // Waits until the sink has all of the member before.
  bool Begin(std::string_view name) override;
  void Push(std::string_view chunk) override;
  // The sink has everything when it is told.
  void End() override;
  // False when the sink threw. It is not asked itself: it is busy in the other thread.
  bool WantsMore() override;

 private:
  static constexpr size_t kSlots = 3;
  static constexpr size_t kSlotBytes = 512u << 10;

  // False: the system gives none, and everything is pushed on directly.
  bool StartThread();
  // The other thread: takes slots in their order, until there are no more and the end was said.
  void Work();
  void GiveSlot();  // the one that is being filled
  void Settle();    // until the sink has everything

  ByteSink& sink_;
  size_t direct_ = 0;
  std::thread thread_;
  bool alone_ = true;  // nothing to unpack, or no thread was to be had

  std::vector<std::vector<char>> slots_;  // a ring; [taken_, given_) belong to the other thread
  size_t given_ = 0, taken_ = 0;          // guarded by mutex_, as all below
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  // By the sink, in the other thread.
  std::exception_ptr thrown_;
};

}  // namespace ncclwhy

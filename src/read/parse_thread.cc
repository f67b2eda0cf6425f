#include "read/parse_thread.h"

#include <system_error>
#include <utility>

namespace ncclwhy {

ParseThread::~ParseThread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool ParseThread::Begin(std::string_view name) {
  Settle();
  direct_ = 0;
  return sink_.Begin(name);
}

void ParseThread::End() {
  Settle();
  sink_.End();
}

bool ParseThread::WantsMore() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return thrown_ == nullptr;
}

void ParseThread::Push(std::string_view chunk) {
  if (direct_ < kDirectBytes || alone_ || (!thread_.joinable() && !StartThread())) {
    direct_ += chunk.size();
    sink_.Push(chunk);
    return;
  }
  while (!chunk.empty()) {
    std::vector<char>& slot = slots_[given_ % kSlots];  // nobody else looks at it
    // Small chunks are gathered: a hand-over costs a lock and a wake-up.
    const size_t room = std::min(kSlotBytes - slot.size(), chunk.size());
    slot.insert(slot.end(), chunk.begin(), chunk.begin() + static_cast<ptrdiff_t>(room));
    chunk.remove_prefix(room);
    if (slot.size() == kSlotBytes) GiveSlot();
  }
}

bool ParseThread::StartThread() {
  slots_.resize(kSlots);
  for (std::vector<char>& slot : slots_) slot.reserve(kSlotBytes);
  try {
    thread_ = std::thread([this] { Work(); });
  } catch (const std::system_error&) {
    alone_ = true;
  }
  return !alone_;
}

void ParseThread::GiveSlot() {
  std::unique_lock<std::mutex> lock(mutex_);
  ++given_;
  changed_.notify_all();
  // All slots are the other thread's: unpacking is faster than parsing, and waits.
  changed_.wait(lock, [this] { return given_ - taken_ < kSlots || thrown_ != nullptr; });
  if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
  slots_[given_ % kSlots].clear();
}

void ParseThread::Settle() {
  if (!thread_.joinable()) return;
  if (!slots_[given_ % kSlots].empty()) GiveSlot();
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return given_ == taken_ || thrown_ != nullptr; });
  if (thrown_ != nullptr) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void ParseThread::Work() {
  bool broken = false;  // the sink threw: what it holds is of no use, and gets no more
  for (;;) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return given_ != taken_ || over_; });
    if (given_ == taken_) return;
    const std::vector<char>& slot = slots_[taken_ % kSlots];
    lock.unlock();
    std::exception_ptr thrown;
    try {
      if (!broken) sink_.Push({slot.data(), slot.size()});
    } catch (...) {
      broken = true;
      thrown = std::current_exception();
    }
    lock.lock();
    ++taken_;
    if (thrown != nullptr) thrown_ = thrown;
    lock.unlock();
    changed_.notify_all();
  }
}

}  // namespace ncclwhy

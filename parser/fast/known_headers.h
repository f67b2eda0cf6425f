// KnownHeaders: beginnings of lines that were parsed before, and whose they are. Bytes are compared, nothing is parsed:
// first host:pid:tid, then the few things that stand behind it in lines of that thread. Bounded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/swar.h"
#include "parser/event.h"

namespace ncclwhy {

//    node07:4711:4802 [3] NCCL INFO      size 31: the message begins behind it
// All but `size` is what ParseHeader said; the host is the first host_size bytes of the line.
struct KnownHeader {
  uint32_t size = 0;  // up to and with its last blank
  uint32_t process = kNoProcess;
  uint32_t host_size = 0;
  uint32_t pid = 0;
  uint32_t tid = 0;
  // As the header says it: the CUDA ordinal in that process.
  int32_t device = kNoDevice;
  LogLevel level = LogLevel::kNone;  // kNone: `host:pid:tid [dev] `, what follows differs from line to line
};

// Not thread-safe: looking something up notes which thread it was. Copied for a later segment.
class KnownHeaders {
 public:
  static constexpr size_t kLongest = 96;  // of such headers
  // The longest one that `text` begins with, or null; valid until the next Add.
  // `text` begins where a line begins, behind a launcher's prefix if there is one. What follows the header is not
  // looked at.
  const KnownHeader* Find(std::string_view text) {
    const Thread* const thread = FindThread(text);
    if (thread == nullptr) return nullptr;
    const std::string_view rest = text.substr(thread->size);
    for (size_t i = 0; i < thread->tail_count; ++i) {
      if (thread->tails[i].Begins(rest)) return &thread->tails[i].header;
    }
    return nullptr;
  }
  // Notes the first `header.size` bytes of `text`, which end with a blank.
  // Not kept: what is not plain ASCII, too long, or one thread too many; such lines are parsed each time.
  void Add(std::string_view text, const KnownHeader& header);

 private:
  // `[3] NCCL INFO `, `NCCL CALL `, `[3] `
  // What may stand behind `host:pid:tid ` in lines of one thread; the longest known one that fits is the header.
  struct Tail {
    std::array<char, 24> bytes{};
    uint32_t size = 0;
    KnownHeader header;

    // Two loads that overlap, and a third one for the middle, instead of a loop.
    bool Begins(std::string_view text) const {
      if (text.size() < size) return false;
      if (size < 8) return std::memcmp(bytes.data(), text.data(), size) == 0;
      const auto differ = [&](size_t at) { return swar::Load(bytes.data() + at) ^ swar::Load(text.data() + at); };
      return (differ(0) | differ(size - 8) | (size > 16 ? differ(8) : 0)) == 0;
    }
  };
  // One thread of one process.
  struct alignas(64) Thread {
    static constexpr size_t kLongest = KnownHeaders::kLongest - 24;
    // INFO, CALL, and the device alone in front of all others.
    static constexpr size_t kTails = 3;
    uint32_t size = 0;
    uint32_t tail_count = 0;
    uint32_t next = 0;                   // who came behind it the last time, into threads_
    std::array<char, kLongest> bytes{};  // `host:pid:tid `
    std::array<Tail, kTails> tails;      // the longest ones first

    // Of `0:4711:4711 `: the bytes in front of the blank tell threads apart.
    // Pids and threads of one job differ in their last digits.
    static uint64_t HashOf(const char* text, size_t blank) { return Mix64(swar::Load(text + blank - 8)); }
    uint64_t hash() const { return HashOf(bytes.data(), size - 1); }
    bool Begins(std::string_view text) const {
      if (text.size() < size) return false;
      return size >= 16 ? swar::Same(bytes.data(), text.data(), size)
                        : std::memcmp(bytes.data(), text.data(), size) == 0;
    }
    // Kept by length, the longest first; a fourth one is not kept.
    void AddTail(std::string_view text, const KnownHeader& header);
  };

  // The thread whose line `text` may be, or null. It then is the latest one. Ranks that print the same in one file
  // take turns, and so do the proxy and the thread that calls NCCL in the file of a rank: who came next the last time
  // is tried first.
  Thread* FindThread(std::string_view text) {
    if (threads_.empty()) return nullptr;
    const uint32_t next = threads_[now_].next;
    if (threads_[next].Begins(text)) return Turn(next);
    if (next != now_ && threads_[now_].Begins(text)) return Turn(now_);
    if (next != before_ && threads_[before_].Begins(text)) return Turn(before_);
    return FindByHash(text);
  }
  Thread* Turn(uint32_t index) {
    threads_[now_].next = index;
    if (index != now_) before_ = now_;
    now_ = index;
    return &threads_[index];
  }
  // Of all threads, by the eight bytes in front of the first blank.
  // Compared in the end: the hash only finds whom to compare with.
  Thread* FindByHash(std::string_view text);

  std::vector<Thread> threads_;
  // Into threads_.
  IndexTable by_hash_;
  uint32_t now_ = 0;     // the thread that was found last
  uint32_t before_ = 0;  // another one, found before it
};

// The first blank of `text`, or npos when there is none where a header may have one.
//    node07:4711:4802 [3] NCCL INFO …
//                    ^
size_t FirstBlank(std::string_view text);

}  // namespace ncclwhy

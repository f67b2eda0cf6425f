// CollTailMemo: the rest of COLL lines behind their buffers, letter by letter, and what it says. A job does the same
// collectives step after step, so of ` count 65536 datatype 7 op 0 root 0 comm 0x55d3 [nranks=64] stream 0xf0` there
// are few, and comparing is cheaper than parsing. Bounded; forgets what was not seen lately.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "parser/facts.h"
#include "parser/hash.h"
#include "parser/runs.h"

namespace ncclwhy {

struct CollTail {
  CollectiveCall call;  // count, datatype, op, root
  uint64_t comm = 0;
  uint32_t comm_begin = 0;  // of the pointer in the tail
  uint32_t comm_size = 0;
  int64_t nranks = -1;
  uint32_t stream = UINT32_MAX;  // where FactsBuilder::AddCollective found it last
};

class CollTailMemo {
 public:
  // What was kept for these very letters, or null.
  CollTail* Find(std::string_view tail) {
    if (entries_.empty() || tail.size() < kShortest || tail.size() > kLongest) return nullptr;
    // Steps repeat: what followed the tail before is asked first.
    uint32_t slot = entries_[now_].next;
    if (!entries_[slot].Is(tail)) {
      slot = SlotOf(tail);
      if (!entries_[slot].Is(tail)) return nullptr;
      entries_[now_].next = slot;
    }
    now_ = slot;
    return &entries_[slot].tail;
  }

  void Keep(std::string_view tail, const CollTail& said) {
    if (tail.size() < kShortest || tail.size() > kLongest) return;
    if (entries_.empty() || (++missed_ > 4 * entries_.size() && entries_.size() < kMost)) Grow();
    Entry& e = entries_[SlotOf(tail)];
    e.next = 0;
    e.size = static_cast<uint32_t>(tail.size());
    std::memcpy(e.bytes.data(), tail.data(), tail.size());
    e.tail = said;
  }

 private:
  static constexpr size_t kShortest = 48;
  static constexpr size_t kLongest = 120;
  static constexpr size_t kFirst = 8;  // a job of many ranks has as many small files
  static constexpr size_t kMost = 2048;
  static constexpr size_t kCountAt = 7;  // behind ` count `

  struct Entry {
    uint32_t size = 0;
    uint32_t next = 0;  // the entry that was found behind this one
    std::array<char, kLongest> bytes;
    CollTail tail;

    bool Is(std::string_view text) const {
      return size == text.size() && runs::Same(bytes.data(), text.data(), text.size());
    }
  };

  // The numbers in front of the pointer, the end of the pointer and what follows that.
  uint32_t SlotOf(std::string_view tail) const {
    const char* const end = tail.data() + tail.size();
    uint64_t h = 0;
    for (size_t i = 0; i < 4; ++i) h = (h ^ runs::Load(tail.data() + kCountAt + 8 * i)) * 0x9e3779b97f4a7c15ull;
    h ^= runs::Load(end - 32) ^ std::rotl(runs::Load(end - 24), 32);
    return static_cast<uint32_t>(Mix64(h) & (entries_.size() - 1));
  }

  void Grow() {
    entries_.assign(entries_.empty() ? kFirst : entries_.size() * 4, {});
    missed_ = 0;
    now_ = 0;
  }

  std::vector<Entry> entries_;
  size_t missed_ = 0;
  uint32_t now_ = 0;
};

}  // namespace ncclwhy

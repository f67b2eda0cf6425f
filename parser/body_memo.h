// BodyMemo: which messages were seen before, letter by letter. In a storm the same few come thousands of times:
//   misc/socket.cc:752 -> 6
//   socketProgress: Connection closed by remote peer h100-02<36017>
// What depends on nothing but level and text is found out once. Bounded; forgets what was not seen lately.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/event.h"
#include "parser/extract/extract.h"
#include "parser/hash.h"
#include "parser/runs.h"

namespace ncclwhy {

class BodyMemo {
 public:
  struct Entry {
    uint64_t hash = 0;
    uint32_t number = 0;  // ParsedLine::same_as
    LogLevel level = LogLevel::kNone;
    bool judged = false;  // what follows is known
    Dialect dialect = Dialect::kUnknown;
    int message = -1;
    ExtractFamily family = nullptr;
    std::string body;
  };

  // The entry of a message that was seen at least once before, or null. A text that comes once is never copied.
  Entry* Find(LogLevel level, std::string_view body) {
    if (body.size() < kShortest || body.size() > kLongest) return nullptr;
    if (entries_.empty() || (++asked_ > 4 * entries_.size() && entries_.size() < kMost)) Grow();
    const uint64_t hash = HashQuickly(body, static_cast<uint64_t>(level));
    const size_t slot = hash & (entries_.size() - 1);
    if (hashes_[slot] != hash) {
      hashes_[slot] = hash;
      return nullptr;
    }
    Entry& e = entries_[slot];
    if (e.hash == hash) return e.level == level && Same(e.body, body) ? &e : nullptr;
    e.hash = hash;
    e.number = ++numbers_;
    e.level = level;
    e.judged = false;
    e.body.assign(body);
    return &e;
  }

 private:
  static constexpr size_t kShortest = 4;
  static constexpr size_t kLongest = 512;
  static constexpr size_t kFirst = 64;  // a job of many ranks has as many small files
  static constexpr size_t kMost = 1024;

  static bool Same(std::string_view a, std::string_view b) {
    if (a.size() != b.size() || a.size() < runs::kLeastSame) return a == b;
    return runs::Same(a.data(), b.data(), a.size());
  }

  void Grow() {
    entries_.assign(entries_.empty() ? kFirst : entries_.size() * 4, {});
    hashes_.assign(entries_.size(), 0);
    asked_ = 0;
  }

  std::vector<Entry> entries_;
  std::vector<uint64_t> hashes_;  // of the text that was seen last in each place: all that most texts are compared with
  size_t asked_ = 0;
  uint32_t numbers_ = 0;
};

}  // namespace ncclwhy

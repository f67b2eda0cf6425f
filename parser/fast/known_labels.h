// KnownLabels: what a launcher or collector put in front of lines that were parsed before, where it says the same in
// front of every line (OuterPrefix::fixed). Bounded.
//    [1,3]<stdout>: node07:4711:4802 [3] NCCL INFO …        Mar  1 12:00:00 node3 python3[4711]: node3:4711:4802 …
//    |------------|                                         |-- digits ---|-------------------|
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "base/swar.h"
#include "parser/parsed_line.h"

namespace ncclwhy {

// Not thread-safe. Copied for a later segment.
class KnownLabels {
 public:
  static constexpr size_t kLongest = 64;
  struct Label {
    uint32_t size = 0;        // with the blanks behind it
    uint32_t time_begin = 0;  // of the time, whose digits may be others
    uint32_t time_end = 0;    // 0: it has none
    OuterPrefix outer;        // its views point into `text`, but for the time, which is that of the latest line

    std::array<char, kLongest> text{};
    std::array<uint64_t, kLongest / sizeof(uint64_t)> others{};  // bits of the bytes that must be the same
    // Of the bytes behind the time of its line, by which it is found: most of them are the header's where labels are
    // short, so each thread of a process may have its own.
    uint64_t hash = 0;

    bool Begins(const char* line) const {
      for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        const uint64_t word = swar::Load(line + at);
        const uint64_t same = others[at / sizeof(uint64_t)];
        const uint64_t outside = swar::Outside(word, '0', '9') & ~same;
        const size_t left = size - at;
        const uint64_t mine = left < sizeof(uint64_t) ? (uint64_t{1} << (8 * left)) - 1 : ~uint64_t{0};
        if ((((word ^ swar::Load(text.data() + at)) & same) | (outside & mine)) != 0) return false;
      }
      return true;
    }
  };

  KnownLabels() = default;
  KnownLabels(const KnownLabels& other);
  KnownLabels& operator=(const KnownLabels&) = delete;

  // The label that `text` begins with, or null. kReach bytes can be read there. Valid until Clear.
  static constexpr size_t kReach = kLongest + 4 * sizeof(uint64_t);
  Label* Find(const char* text) {
    for (size_t i = 0; i < offset_count_; ++i) {
      const uint64_t hash = HashOf(text, offsets_[i]);
      const uint32_t found =
          by_key_.Find(hash, [&](uint32_t n) { return labels_[n].time_end == offsets_[i] && labels_[n].Begins(text); });
      if (found == IndexTable::kEmpty) continue;
      if (i > 0) std::swap(offsets_[i], offsets_[i - 1]);
      return &labels_[found];
    }
    return nullptr;
  }
  // Notes the first `size` bytes of `line`, which say `outer`. Not kept: what is longer than kLongest, not plain ASCII,
  // or one too many.
  void Add(std::string_view line, size_t size, const OuterPrefix& outer);
  void Clear();

 private:
  static uint64_t HashOf(const char* text, uint32_t offset) {
    uint64_t hash = offset;
    for (size_t at = 0; at < 4 * sizeof hash; at += sizeof hash)
      hash = std::rotl(hash, 19) ^ swar::Load(text + offset + at);
    return Mix64(hash);
  }
  static constexpr size_t kOffsets = 4;

  std::deque<Label> labels_;
  // Where the keys stand: at the beginning, or behind a time, of which fractions have so many digits. Those that were
  // met last are tried first.
  std::array<uint32_t, kOffsets> offsets_{};
  size_t offset_count_ = 0;
  IndexTable by_key_;
};

}  // namespace ncclwhy

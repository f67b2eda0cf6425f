// Segments: parts of a long source that several threads can parse at once. Segment k begins with the first line that
// begins at or behind byte k * S, for k > 0, so where segments begin depends on the bytes alone: not on chunks,
// threads, or on how the source is read.
//
//   bytes    0 ........... S ............. 2S ............ 3S
//   lines    |--|-----|---------|----|--|-------|-----|---------|
//   segment  0                  1       2               3
//
// The first segment is parsed before all others. Each of these starts from what that has learned (launcher prefixes,
// hosts, processes, headers) and from nothing else, and the facts are joined in order. Thus every source is parsed in
// segments, one thread or many, and the answer is the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ncclwhy {

// Finds where segments begin in bytes that come in order.
class SegmentCutter {
 public:
  // `bytes` is S, not 0; the segment that is cut first begins at `offset`.
  explicit SegmentCutter(uint64_t bytes, uint64_t offset = 0) : bytes_(bytes), at_(offset) { NextBorder(); }

  // What Take found: where the chunk is to be cut.
  struct Cut {
    size_t size = 0;    // of the chunk's beginning that belongs to the same segment as the byte before
    bool ends = false;  // and a new segment begins behind that, if anything does
  };
  // `chunk` stands behind what was taken before.
  Cut Take(std::string_view chunk) {
    const uint64_t end = at_ + chunk.size();
    if (end >= border_) {
      const size_t from = at_ < border_ ? static_cast<size_t>(border_ - 1 - at_) : 0;
      if (const size_t newline = chunk.find('\n', from); newline != std::string_view::npos) {
        at_ += newline + 1;
        NextBorder();
        return {newline + 1, true};
      }
    }
    at_ = end;
    return {chunk.size(), false};
  }
  // Of the next byte.
  uint64_t offset() const { return at_; }

 private:
  void NextBorder() { border_ = (at_ / bytes_ + 1) * bytes_; }

  uint64_t bytes_;
  uint64_t at_;
  uint64_t border_ = 0;  // the first line that begins here or later begins a segment
};

}  // namespace ncclwhy

// LineFrame: what every line of a source stands in since somebody listed, quoted, searched or exported the log.
//
//      12  node3:4711:4790 [2] NCCL INFO …                                     cat -n
//   logs/rank0.txt:7:Traceback (most recent call last):                        grep -n
//   | RuntimeError: NCCL error |                                               a table
//   2026-11-20 10:00:00,123 - launcher - INFO - slurmstepd: error: …           a logger around another program
//   2026-11-20T10:00:00Z,train-0,"… said ""no"""                               CSV
//
// Forms that say more than that (a launcher's rank, a container's time) are those of OuterPrefixStripper, which takes
// the frame off between them. Found by find_frame.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/mask_digits.h"

namespace ncclwhy {

// Never changes once made: several threads may ask one at the same time, each with its own `scratch`.
class LineFrame {
 public:
  // In a shape.
  static constexpr char kNumber = '\1';  // a run of digits
  static constexpr char kBlanks = '\2';  // a run of blanks

  LineFrame() = default;
  // A shape has kNumber and kBlanks where lines may differ, and else the bytes themselves. `blanks`: what a kBlanks at
  // its end takes at most; what is more of them belongs to the line. `closing`: what ends the line: ` |`, `"`.
  LineFrame(std::string shape, size_t blanks, std::string closing)
      : shape_(std::move(shape)),
        blanks_(blanks),
        closing_(std::move(closing)),
        has_digit_(ncclwhy::HasDigit(shape_) || ncclwhy::HasDigit(closing_)) {}

  // How much of `text` the shape takes from its beginning, or npos. Of a line that is blank but for the frame the last
  // blanks may be missing: editors cut them.
  static size_t Match(std::string_view shape, size_t blanks, std::string_view text);

  bool any() const { return !shape_.empty(); }
  // Whether a digit in particular is asked for.
  bool has_digit() const { return has_digit_; }
  // Takes it off `text`. False: the line does not stand in it, and `text` is as it was. `scratch` is used where quotes
  // are doubled; `text` is a view of it then, until it is used again.
  bool TakeOff(std::string_view& text, std::string& scratch) const;

 private:
  std::string shape_;
  size_t blanks_ = 0;
  std::string closing_;
  bool has_digit_ = false;
};

}  // namespace ncclwhy

// QuotedSource: the program's text that Python quotes below a frame of a traceback. What it would print elsewhere was
// not printed here.
//
//   File "/opt/train/train.py", line 8, in training_step
//     raise RuntimeError("CUDA error: out of memory") if full else KeyError("labels")
//   KeyError: 'labels'
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "parser/parsed_line.h"
#include "parser/scan.h"

namespace ncclwhy {

// One for each segment of a text, all lines in their order.
class QuotedSource {
 public:
  // Whether the line is such a statement.
  // Only the line right behind a frame of the same process, further in than the frame is. Notes a frame when it sees
  // one.
  bool IsSource(const ParsedLine& line, uint32_t process) {
    const size_t begin = line.body.find_first_not_of(' ');
    if (begin == std::string_view::npos) return false;
    const std::string_view text = line.body.substr(begin);
    const bool behind = line.number == frame_ + 1 && process == process_ && begin > indent_ && Says(text);
    if (scan::StartsWith(text, "File \"") && scan::Contains(text, "\", line ")) {
      frame_ = line.number;
      process_ = process;
      indent_ = begin;
      return false;
    }
    return behind;
  }

 private:
  // Other statements tell where the program stands, `with accelerator.main_process_first():`, or, as an assertion does,
  // what is wrong.
  static bool Says(std::string_view text) {
    constexpr std::string_view kSaying[] = {"raise ",    "print(",  ".debug(",     ".info(",     ".warn(",
                                            ".warning(", ".error(", ".exception(", ".critical(", ".fatal("};
    return std::any_of(std::begin(kSaying), std::end(kSaying), [&](auto word) { return scan::Contains(text, word); });
  }

  // The line of the latest frame; no line comes behind this one.
  uint32_t frame_ = UINT32_MAX - 1;
  uint32_t process_ = 0;
  size_t indent_ = 0;
};

}  // namespace ncclwhy

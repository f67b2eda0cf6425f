// Lines that were broken because they were too long: copied out of a terminal of 80 columns, a mail, a chat.
//
//   node1:71:90 [0] transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from
//    peer 10.0.0.7<51264> with error 12, opcode 0, len 0, vendor err 129
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

enum class Wrapping : uint8_t {
  kHard,      // after a fixed number of columns, anywhere
  kSoft,      // at blanks; the rest may be indented
  kIndented,  // at blanks and hyphens, before a fixed number of columns; every rest has the same indent
};

struct Unwrapped {
  std::string text;     // empty: nothing looks broken in that way
  uint64_t joins = 0;   // how many breaks were taken out
  std::string joined;   // the lines that were put together
  bool records = true;  // each of these begins with NCCL's header
};

// Whether a line certainly begins one.
enum class LineStart : uint8_t { kUnknown, kYes, kNo };

// The lines of a text, which has to outlive them.
class BrokenLines {
 public:
  explicit BrokenLines(std::string_view text);

  // Joins what seems to belong together. Line numbers stay: a joined piece leaves an empty line behind the line it was
  // joined to. Linear in the text; makes mistakes where the lines of a program look broken, so whoever calls it has to
  // see whether the result says more.
  Unwrapped Unwrap(Wrapping wrapping);

 private:
  std::vector<std::string_view> lines_;
  std::vector<LineStart> starts_;  // of each of them
};

}  // namespace ncclwhy

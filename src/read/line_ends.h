// LineEnds: gives a source that is one endless line the line ends that it means: logs whose lines end in CR only (old
// consoles, pasted from a terminal), and a JSON array of records that was exported on one line.
//
// Thread safety: an object is used by one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ncclwhy {

//    \r 10% \r 20% \r RuntimeError …           →   three lines
//    [{"log": "a"},{"log": "b"}]               →   {"log": "a"}, {"log": "b"}
// As many bytes come out as go in, each at its place: offsets stay true.
class LineEnds {
 public:
  // What the beginning of a source asks for; none: its lines end as they should.
  static std::optional<LineEnds> For(std::string_view first);

  // The next bytes as lines. Lives until the next call.
  std::string_view Mend(std::string_view bytes);

 private:
  explicit LineEnds(bool array) : array_(array) {}
  bool array_;
  bool text_ = false, escaped_ = false;  // inside of a JSON string, behind a backslash in it
  // Of brackets; records stand at depth 2.
  int depth_ = 0;
  std::string out_;
};

}  // namespace ncclwhy

// Whose stack follows, as somebody who took stacks wrote above it.
//   ==== rank 7 on cray2 pid 6007 ====                $ py-spy dump --pid 30110   # rank 0
//   Process 9403: python train.py  (RANK=3)           == ndv4-0007 rank 5: gdb -p 21032 -batch -ex bt
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ncclwhy {

struct StackHeading {
  int32_t rank = -1;
  int64_t pid = -1;
  std::string host;   // empty: not told
  bool bare = false;  // a number and nothing else: only the next line is its
};

// Nothing where the line has no mark of a heading (= # - $ > in front, a colon behind, Process, rank, pid), or names
// neither rank nor process. `text` is trimmed. `may_name_tool`: false where it is known that no tool is in it.
std::optional<StackHeading> HeadingIn(std::string_view text, bool may_name_tool = true);

}  // namespace ncclwhy

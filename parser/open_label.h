// Whose the lines without a label of their own are, where a line in front of them says so:
//   [2025-05-14 17:35:23 TP6] Scheduler hit an exception: Traceback (most recent call last):
//     File "scheduler.py", line 883, in process_input_requests
//   MemoryError: std::bad_alloc
// up to the exception (a segment that begins in between knows of none), and the blocks that launchers and tools make of
// the output of each rank:
//   ----------Begin global rank 13 STDERR----------        up to its End
//   ==> log.r3 <==                                         of tail and head, up to the next one
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "parser/outer_prefix.h"

namespace ncclwhy {

// The label that is lent holds for a line's rank, host and pod: it is a guess, and a label of the line's own wins.
// One for each source; not carried into segments. Not thread-safe.
class OpenLabel {
 public:
  // Shown every line that does not begin with NCCL's header, its number and what was stripped of it; lends it the label
  // that is open. What it lends points into this object: valid until the next call. The line's own time stays.
  void Apply(uint32_t number, StrippedLine* line);
  // The same for a line with a label of its own that begins with NCCL's header: it ends what was open.
  void EndTraceback() { traceback_ = false; }
  // Whether nothing is open that a line without a label would be lent.
  bool idle() const { return !traceback_ && block_rank_ < 0; }

 private:
  // `==> log.r3 <==`, `---Begin global rank 13 STDERR---`: opens or ends a block.
  bool TakeHeading(std::string_view text);
  void Lend(const OuterPrefix& prefix, StrippedLine* line) const;
  void Open(uint32_t number, const OuterPrefix& prefix);

  // Of a traceback.
  bool traceback_ = false;
  bool between_ = false;  // an exception is told, another one of its chain may follow
  uint32_t latest_ = 0;
  OuterPrefix label_;
  std::string host_, pod_;
  // Of a block; -1: none is open.
  int32_t block_rank_ = -1;
};

}  // namespace ncclwhy

// StreamRelay: one stream of the command on its way to where it would have gone: read from our end of its pipe or
// pseudo-terminal, written to the descriptor that was inherited, to the log, and as far as there is room to the
// watcher. A reader that is slow slows the command, as it would without us.
#pragma once

#include <poll.h>

#include <cstddef>
#include <memory>
#include <string>

#include "run/nonblocking_output.h"
#include "run/output_log.h"

namespace ncclwhy {

class StreamRelay {
 public:
  // Takes `from`, which must be non-blocking; borrows the others. `watcher`: a pipe that is non-blocking; `unlogged`:
  // gets what the log cannot take.
  StreamRelay(int from, int to, const std::string& log, UnloggedOutput* unlogged, int watcher);
  ~StreamRelay();
  StreamRelay(const StreamRelay&) = delete;
  StreamRelay& operator=(const StreamRelay&) = delete;

  // What to wait for; fd -1 when there is nothing to do any more.
  pollfd Wanted() const;
  // Moves what can be moved. `alone`: nobody waits for us any more; a reader that goes away does not end the command.
  void Move(short events, bool alone);

  // Nothing more will come.
  bool ended() const { return from_ < 0 && pending_ == 0; }
  // Nothing is under way: what the command had printed has arrived. Looks.
  bool Idle();
  // It waits for its reader.
  bool Blocked() const { return pending_ > 0; }
  uint64_t dropped() const { return log_.dropped(); }

 private:
  static constexpr size_t kBuffer = 256 << 10;

  // One piece is read and written at a time, so the order of bytes stays and the buffer never grows.
  // A piece at most, when the one before was handed on: that is what slows a command whose reader is slow.
  bool Read();
  // As much as the reader takes now.
  void Write(bool alone);
  void CloseInput();

  int from_;
  NonblockingOutput to_;
  OutputLog log_;
  const int watcher_;
  std::unique_ptr<char[]> buffer_;
  size_t begin_ = 0;    // of what is to be written
  size_t pending_ = 0;  // its size
  bool gone_ = false;   // the reader
};

}  // namespace ncclwhy

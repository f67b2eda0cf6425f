// OutputLog: what a command printed to one stream, on disk, with a limit: the beginning, the end, and of what lies
// between them the lines that complained first.
//
//   stdout.log.2   the beginning           stdout.log.1, stdout.log   the end      stdout.first-errors.log
//
// As long as all of it is below the limit there is `stdout.log` alone. The numbers are those of rotated logs, which are
// read as one source.
//
// A disk that is full ends the log, not the command; what is printed then is left to somebody else. For its owner only:
// a job may print anything. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "run/unlogged_output.h"

namespace ncclwhy {

class OutputLog {
 public:
  static constexpr uint64_t kHead = 32 << 20;
  static constexpr uint64_t kTail = 8 << 20;    // each of the two parts of the end
  static constexpr uint64_t kPinned = 1 << 20;  // first complaints

  // `path`: …/stdout.log; `unlogged`: gets what cannot be written, may be null.
  OutputLog(std::string path, UnloggedOutput* unlogged) : path_(std::move(path)), unlogged_(unlogged) {}
  ~OutputLog();
  OutputLog(const OutputLog&) = delete;
  OutputLog& operator=(const OutputLog&) = delete;

  // Never fails for the command's sake: what no disk takes goes to `unlogged`, or is lost.
  void Write(std::string_view bytes);
  // Bytes that are neither in the beginning nor in the end.
  uint64_t dropped() const { return dropped_; }

 private:
  // To the part that is open, which is opened when it is needed.
  void Append(std::string_view bytes);
  // The part that is full becomes `.1`; what was `.1` is dropped, but the beginning, which becomes `.2` and stays.
  void Rotate();
  // Looks for complaints in what is neither beginning nor, maybe, end.
  void Pin(std::string_view bytes);
  // Keeps lines that complain, and kFollowing bytes behind them.
  void PinLines(std::string_view bytes);

  const std::string path_;
  UnloggedOutput* const unlogged_;
  int fd_ = -1;
  // Whatever the owner of the stream does with the limits, a line that is torn at a border is told by the reader as
  // such.
  bool failed_ = false;
  uint64_t size_ = 0;   // of the part that is written
  uint64_t older_ = 0;  // of the part before it, when that one is not the beginning
  uint32_t parts_ = 0;  // that were begun
  uint64_t dropped_ = 0;
  uint64_t pinned_ = 0;
  int pin_fd_ = -1;
  uint64_t following_ = 0;  // bytes behind a complaint that are still kept
};

}  // namespace ncclwhy

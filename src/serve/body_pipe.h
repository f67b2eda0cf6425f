// BodyPipe: the bytes of one request on their way from the thread that receives them to the thread that analyses them.
//
// A pipe of the kernel: bounded, without a copy of the body in memory, and readable by what reads files. One thread
// writes, one reads; Close* may be called by either.
#pragma once

#include <chrono>
#include <string_view>

#include "ncclwhy/status.h"

namespace ncclwhy {

using Deadline = std::chrono::steady_clock::time_point;

// The writer waits while the pipe is full, so a client cannot send faster than the analysis reads, and a body of many
// gigabytes takes no more memory than a small one.
class BodyPipe {
 public:
  // kReaderGone: the analysis ended before the body did (it is too large, or damaged); its answer says why. kTooLate:
  // the deadline came. kFailed: the system refused (errno is not kept).
  enum class Sent { kAll, kReaderGone, kTooLate, kFailed };

  BodyPipe() = default;
  // Closes both ends. Both sides have to be done.
  ~BodyPipe();
  BodyPipe(const BodyPipe&) = delete;
  BodyPipe& operator=(const BodyPipe&) = delete;

  // Before either side begins.
  // kIo where the process has no descriptors left: too many requests at a time.
  Status Open();
  // Waits until there is room, not longer than `deadline`.
  // kAll: all `bytes` are in the pipe, not that they were read. SIGPIPE has to be ignored in the process, as httplib's
  // server does.
  Sent Write(std::string_view bytes, Deadline deadline);
  // The end of the body. May be called again.
  // By the side that writes; the reader then sees the end of a file.
  void CloseWriter();
  // Nobody reads on: the writer is told kReaderGone.
  // By the side that reads.
  void CloseReader();
  // -1 behind CloseReader. Stays the pipe's own.
  int reader() const { return reader_; }

 private:
  int reader_ = -1;
  int writer_ = -1;
};

}  // namespace ncclwhy

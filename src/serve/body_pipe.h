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

class BodyPipe {
 public:
  enum class Sent { kAll, kReaderGone, kTooLate, kFailed };

  BodyPipe() = default;
  ~BodyPipe();
  BodyPipe(const BodyPipe&) = delete;
  BodyPipe& operator=(const BodyPipe&) = delete;

  // Before either side begins.
  Status Open();
  // Waits until there is room, not longer than `deadline`.
  Sent Write(std::string_view bytes, Deadline deadline);
  // The end of the body. May be called again.
  void CloseWriter();
  // Nobody reads on: the writer is told kReaderGone.
  void CloseReader();
  int reader() const { return reader_; }

 private:
  int reader_ = -1;
  int writer_ = -1;
};

}  // namespace ncclwhy

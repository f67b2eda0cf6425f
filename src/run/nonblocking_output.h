// NonblockingOutput: writes to a descriptor that was inherited without ever waiting for its reader, and without making
// it non-blocking for the others that have it (O_NONBLOCK belongs to the open file, which a shell may share).
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace ncclwhy {

// Not thread-safe. The descriptor stays open when this ends.
class NonblockingOutput {
 public:
  // Borrows `fd`; opens it anew where that is possible.
  explicit NonblockingOutput(int fd);
  ~NonblockingOutput();
  NonblockingOutput(const NonblockingOutput&) = delete;
  NonblockingOutput& operator=(const NonblockingOutput&) = delete;

  // As write(2) on a descriptor with O_NONBLOCK.
  ssize_t Write(const char* bytes, size_t size);
  // What to poll for POLLOUT.
  int fd() const { return own_ >= 0 ? own_ : fd_; }

 private:
  // How it may be written to without waiting: files never wait, sockets have a flag for it, pipes and terminals are
  // opened anew; what cannot be opened anew is asked with poll first.
  enum class Kind { kFile, kReopened, kSocket, kOther };

  const int fd_;
  int own_ = -1;  // the same pipe or terminal, opened anew
  Kind kind_ = Kind::kOther;
};

}  // namespace ncclwhy

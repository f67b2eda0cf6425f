#include "run/nonblocking_output.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace ncclwhy {

NonblockingOutput::NonblockingOutput(int fd) : fd_(fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return;
  if (S_ISREG(status.st_mode)) {
    kind_ = Kind::kFile;
  } else if (S_ISSOCK(status.st_mode)) {
    kind_ = Kind::kSocket;
  } else {
    // /proc/self/fd opens the same pipe or terminal a second time, with flags of its own. Without /proc, or without the
    // right to, kOther asks before each write.
    own_ = ::open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (own_ >= 0) kind_ = Kind::kReopened;
  }
}

NonblockingOutput::~NonblockingOutput() {
  if (own_ >= 0) ::close(own_);
}

ssize_t NonblockingOutput::Write(const char* bytes, size_t size) {
  switch (kind_) {
    case Kind::kFile:
      return ::write(fd_, bytes, size);
    case Kind::kReopened:
      return ::write(own_, bytes, size);
    case Kind::kSocket:
      // Without SIGPIPE: a reader that is gone is an error here and not the end of the program.
      return ::send(fd_, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    case Kind::kOther:
      break;
  }
  // A terminal of somebody else's: so much fits in whenever poll says that there is room.
  pollfd ready{fd_, POLLOUT, 0};
  if (::poll(&ready, 1, 0) == 0) {
    errno = EAGAIN;
    return -1;
  }
  // PIPE_BUF bytes go into a pipe at once or not at all, and poll tells that there is room for as many.
  return ::write(fd_, bytes, std::min<size_t>(size, PIPE_BUF));
}

}  // namespace ncclwhy

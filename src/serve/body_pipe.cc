#include "serve/body_pipe.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ncclwhy {
namespace {

// The parser reads up to this much at once; the kernel may grant less.
// A larger pipe means fewer turns between two threads; with the usual 64 KiB each chunk is one.
constexpr int kPipeBytes = 1 << 20;

void Close(int* descriptor) {
  if (const int fd = std::exchange(*descriptor, -1); fd >= 0) ::close(fd);
}

// Milliseconds for poll(2), rounded up; 0 when it is too late.
// Rounded up, else a wait of less than a millisecond would be a loop without a pause until the deadline is there.
int Remaining(Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1000 * 3600));
}

}  // namespace

BodyPipe::~BodyPipe() {
  CloseReader();
  CloseWriter();
}

Status BodyPipe::Open() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return Status::Io(std::string("no pipe for the body: ") + std::strerror(errno));
  reader_ = ends[0];
  writer_ = ends[1];
  // Refused where the user's pipes together are large already (pipe-user-pages-soft): the usual size will do.
  (void)::fcntl(writer_, F_SETPIPE_SZ, kPipeBytes);
  if (::fcntl(writer_, F_SETFL, O_NONBLOCK) != 0) return Status::Io(std::strerror(errno));
  return {};
}

BodyPipe::Sent BodyPipe::Write(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    if (writer_ < 0) return Sent::kReaderGone;
    const ssize_t n = ::write(writer_, bytes.data(), bytes.size());
    if (n >= 0) {
      bytes.remove_prefix(static_cast<size_t>(n));
      continue;
    }
    // The analysis has closed its end.
    if (errno == EPIPE) return Sent::kReaderGone;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return Sent::kFailed;
    pollfd room{writer_, POLLOUT, 0};
    const int ready = ::poll(&room, 1, Remaining(deadline));
    if (ready == 0) return Sent::kTooLate;
    if (ready < 0 && errno != EINTR) return Sent::kFailed;
  }
  // A client that always finds room, byte by byte, is told here that its time is over.
  return std::chrono::steady_clock::now() > deadline ? Sent::kTooLate : Sent::kAll;
}

void BodyPipe::CloseWriter() { Close(&writer_); }
void BodyPipe::CloseReader() { Close(&reader_); }

}  // namespace ncclwhy

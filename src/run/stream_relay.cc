#include "run/stream_relay.h"

#include <unistd.h>

#include <cerrno>

namespace ncclwhy {

StreamRelay::StreamRelay(int from, int to, const std::string& log, UnloggedOutput* unlogged, int watcher)
    : from_(from), to_(to), log_(log, unlogged), watcher_(watcher), buffer_(new char[kBuffer]) {}

StreamRelay::~StreamRelay() { CloseInput(); }

void StreamRelay::CloseInput() {
  if (from_ >= 0) ::close(from_);
  from_ = -1;
}

pollfd StreamRelay::Wanted() const {
  // While something is to be written nothing is read: a slow reader slows the command, as a full pipe would.
  if (pending_ > 0) return {to_.fd(), POLLOUT, 0};
  return {from_, POLLIN, 0};
}

void StreamRelay::Move(short events, bool alone) {
  if (events == 0) return;
  if (pending_ > 0 || Read()) Write(alone);
}

bool StreamRelay::Idle() {
  if (ended()) return true;
  if (pending_ > 0) return false;
  pollfd more{from_, POLLIN, 0};
  return ::poll(&more, 1, 0) == 0;
}

bool StreamRelay::Read() {
  if (from_ < 0) return false;
  const ssize_t n = ::read(from_, buffer_.get(), kBuffer);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (n <= 0) {  // EIO: nobody has the terminal any more
    CloseInput();
    return false;
  }
  begin_ = 0;
  pending_ = static_cast<size_t>(n);
  log_.Write({buffer_.get(), pending_});
  // Samples are enough for the watcher: it never makes the command wait.
  if (watcher_ >= 0) (void)!::write(watcher_, buffer_.get(), pending_);  // full, or nobody there: no matter
  return true;
}

void StreamRelay::Write(bool alone) {
  // Once the reader is gone the bytes only go into the log.
  while (pending_ > 0 && !gone_) {
    const ssize_t n = to_.Write(buffer_.get() + begin_, pending_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) {
      gone_ = true;
      break;
    }
    begin_ += static_cast<size_t>(n);
    pending_ -= static_cast<size_t>(n);
  }
  if (!gone_) return;
  pending_ = 0;
  // `run … | head`: the command meets a closed pipe as it would without us. When the one who waited for us is gone, his
  // pipes go with him, and the command has to outlive that.
  if (!alone) CloseInput();
}

}  // namespace ncclwhy

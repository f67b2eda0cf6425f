#include "read/growing_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/limits.h"
#include "read/archive_reader.h"

namespace ncclwhy {
namespace {

constexpr size_t kReadBytes = 256 << 10;
// Of one file in one turn, so that a large one does not keep the others waiting.
constexpr size_t kTurnBytes = 8 << 20;

bool Readable(int fd) {
  pollfd waiting{fd, POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

}  // namespace

GrowingFile::~GrowingFile() {
  if (fd_ > STDIN_FILENO) ::close(fd_);
}

std::string GrowingFile::TakeNotice() { return std::exchange(notice_, {}); }

void GrowingFile::Fail(const std::string& reason) {
  problem_ = spec_.name + ": " + reason;
  ended_ = true;
}

namespace {

FileIdentity IdentityOf(int fd, const struct stat& info) {
  FileIdentity out{info.st_dev, info.st_ino, 0};
#ifdef STATX_BTIME
  struct statx more {};
  if (::statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &more) == 0 && (more.stx_mask & STATX_BTIME) != 0) {
    out.born = more.stx_btime.tv_sec * 1000000000 + more.stx_btime.tv_nsec;
  }
#else
  (void)fd;
#endif
  return out;
}

}  // namespace

void GrowingFile::Open() {
  // Without O_NONBLOCK a named pipe would wait for its first writer.
  fd_ = spec_.path == "-" ? STDIN_FILENO : ::open(spec_.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0) {
    if (errno != ENOENT) Fail(std::strerror(errno));
    return;
  }
  struct stat info {};
  if (::fstat(fd_, &info) != 0) return Fail(std::strerror(errno));
  if (S_ISDIR(info.st_mode)) return Fail("is a directory");
  // With a glob both names are followed: train.log.1 is found as new when train.log was renamed.
  if (read_ != nullptr && S_ISREG(info.st_mode) && !read_->insert(IdentityOf(fd_, info)).second) {
    ::close(fd_);  // rotated: it was read under the name that it had
    fd_ = -1;
    return;
  }
  regular_ = S_ISREG(info.st_mode);
  device_ = info.st_dev;
  inode_ = info.st_ino;
  offset_ = 0;
}

bool GrowingFile::Poll(const Lines& lines) {
  if (ended_) return false;
  if (fd_ < 0) Open();
  std::array<char, kReadBytes> buffer;
  for (size_t turn = 0; fd_ >= 0 && !ended_;) {
    if (turn >= kTurnBytes) return true;
    // Reading a pipe without data would wait for it.
    if (!regular_ && !Readable(fd_)) return false;
    const ssize_t n = ::read(fd_, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return false;
    if (n < 0) {
      Fail(std::strerror(errno));
      return false;
    }
    if (n == 0) {
      // A pipe that nobody has opened yet looks like one that was closed.
      if (!regular_ && (begun_ || spec_.path == "-")) ended_ = true;
      if (!regular_ || !Restarted(lines)) return false;
      continue;
    }
    turn += static_cast<size_t>(n);
    offset_ += static_cast<uint64_t>(n);
    Take({buffer.data(), static_cast<size_t>(n)}, lines);
  }
  return false;
}

bool GrowingFile::Restarted(const Lines& lines) {
  struct stat info {};
  // logrotate's copytruncate, or a second run with `> train.log`. What was written between copy and cut is lost to
  // everybody.
  if (::fstat(fd_, &info) == 0 && static_cast<uint64_t>(info.st_size) < offset_) {
    notice_ = "was truncated; lines are counted on from before";
    if (::lseek(fd_, 0, SEEK_SET) != 0) return false;
    offset_ = 0;
  } else if (::stat(spec_.path.c_str(), &info) == 0 && (info.st_ino != inode_ || info.st_dev != device_)) {
    // All of the old file was read: it is not opened again.
    notice_ = "was replaced (rotated); lines are counted on from before";
    ::close(fd_);
    fd_ = -1;
    Open();
    if (fd_ < 0) return false;
  } else {
    return false;
  }
  // A line of the old file has no end any more; the new file begins a line.
  if (!tail_.empty()) Take("\n", lines);
  return true;
}

void GrowingFile::Take(std::string_view bytes, const Lines& lines) {
  if (!std::exchange(begun_, true) && LooksPacked(bytes)) {
    Fail("is compressed; only plain logs can be followed");
    return;
  }
  const size_t end = bytes.rfind('\n');
  if (end == std::string_view::npos) {
    tail_ += bytes;
    // The parser keeps no more of a line either.
    if (tail_.size() > limits::kLineBytes) Flush(lines);
    return;
  }
  if (!tail_.empty()) {
    tail_ += bytes.substr(0, end + 1);
    Flush(lines);
  } else {
    lines(bytes.substr(0, end + 1));
  }
  tail_ = bytes.substr(end + 1);
}

void GrowingFile::Flush(const Lines& lines) {
  if (!tail_.empty()) lines(tail_);
  tail_.clear();
}

}  // namespace ncclwhy

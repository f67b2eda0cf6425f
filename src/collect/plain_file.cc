#include "collect/plain_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

namespace ncclwhy {
namespace {

constexpr size_t kPiece = 256 << 10;
constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW;

// Since Linux 5.6 no folder on the way may be a link, either. Older kernels, and containers that forbid what they do
// not know, look at the last name only.
int OpenWithoutLinks(const std::string& path) {
#if defined(SYS_openat2) && defined(RESOLVE_NO_SYMLINKS)
  open_how how{};
  how.flags = kFlags;
  how.resolve = RESOLVE_NO_SYMLINKS;
  const long fd = ::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how);
  if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return static_cast<int>(fd);
#endif
  return ::open(path.c_str(), kFlags);
}

}  // namespace

PlainFile::PlainFile(const std::string& path) : fd_(OpenWithoutLinks(path)) {
  if (fd_ >= 0 && ::fstat(fd_, &stat_) == 0 && S_ISREG(stat_.st_mode)) return;
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

PlainFile::~PlainFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::string_view PlainFile::Next() {
  buffer_.resize(kPiece);
  ssize_t n = 0;
  do {
    n = ::pread(fd_, buffer_.data(), buffer_.size(), static_cast<off_t>(place_));
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return {};
  place_ += static_cast<uint64_t>(n);
  return {buffer_.data(), static_cast<size_t>(n)};
}

}  // namespace ncclwhy

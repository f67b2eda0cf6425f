#include "base/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace ncclwhy {
namespace {

// What a link points at, else the path itself.
std::string Target(const std::string& path) {
  // A link that leads nowhere yet is replaced by the file, like any name that is not there.
  char* real = realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string out(real);
  std::free(real);
  return out;
}

// There is no way to ask for the umask but to set it; for a moment it is 0 for all threads.
mode_t NewFileMode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

int WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

WholeFile::WholeFile(const std::string& path) : target_(Target(path)) {}

WholeFile::~WholeFile() {
  if (file_ >= 0) close(file_);
  if (part_.empty()) return;
  unlink(part_.c_str());
}

int WholeFile::Open() {
  struct stat old {};
  const bool exists = stat(target_.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) return EISDIR;
  // A device or pipe is never replaced: a file in the place of /dev/null would be a nuisance.
  if (exists && !S_ISREG(old.st_mode)) {
    file_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    return file_ < 0 ? errno : 0;
  }
  removed_.emplace(target_);
  file_ = removed_->descriptor();
  if (file_ >= 0) {
    part_ = removed_->path();
    return 0;
  }
  const int error = removed_->error();
  removed_.reset();
  return error;
}

int WholeFile::Write(std::string_view bytes) { return WriteAll(file_, bytes); }

int WholeFile::Finish(std::optional<mode_t> mode) {
  int error = 0;
  if (!part_.empty()) {
    struct stat old {};
    const bool exists = stat(target_.c_str(), &old) == 0;
    if (!mode) mode = exists ? old.st_mode & 07777 : NewFileMode();
    if (fchmod(file_, *mode) != 0) error = errno;
  }
  // An error of close is one of writing: on network file systems a full disk is told here.
  if (close(std::exchange(file_, -1)) != 0 && error == 0) error = errno;
  if (part_.empty() || error != 0) return error;
  if (rename(part_.c_str(), target_.c_str()) != 0) return errno;
  part_.clear();
  removed_.reset();
  return 0;
}

}  // namespace ncclwhy

#include "base/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
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

// /proc/self/fd/5: how a file without a name is given one.
std::string PathOf(int file) { return "/proc/self/fd/" + std::to_string(file); }

// -1 where the file system has no files without a name, or none that could get one.
int OpenNameless(const std::string& target) {
  const size_t slash = target.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : target.substr(0, slash + 1);
  const int file = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (file >= 0 && access(PathOf(file).c_str(), F_OK) == 0) return file;
  if (file >= 0) close(file);
  return -1;
}

// There is no way to ask for the umask but to set it; for a moment it is 0 for all threads.
mode_t NewFileMode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

// Signals to this thread wait as long as it lives.
class SignalsLater {
 public:
  SignalsLater() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsLater() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsLater(const SignalsLater&) = delete;
  SignalsLater& operator=(const SignalsLater&) = delete;

 private:
  sigset_t before_;
};

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
  file_ = OpenNameless(target_);
  nameless_ = file_ >= 0;
  if (nameless_) return 0;
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

// A name can be given to what has none, but not that of a file that is there: a neighbour's first, for a moment.
int WholeFile::NamePart() {
  constexpr int kTries = 100;  // of names that somebody has already
  for (int i = 0; i < kTries; ++i) {
    part_ = target_ + "." + std::to_string(getpid()) + "-" + std::to_string(i);
    if (linkat(AT_FDCWD, PathOf(file_).c_str(), AT_FDCWD, part_.c_str(), AT_SYMLINK_FOLLOW) == 0) return 0;
    if (errno != EEXIST) break;
  }
  const int error = errno;
  part_.clear();
  return error;
}

int WholeFile::Finish(std::optional<mode_t> mode) {
  int error = 0;
  if (nameless_ || !part_.empty()) {
    struct stat old {};
    const bool exists = stat(target_.c_str(), &old) == 0;
    if (!mode) mode = exists ? old.st_mode & 07777 : NewFileMode();
    if (fchmod(file_, *mode) != 0) error = errno;
  }
  // Between the two names a signal would leave the neighbour behind.
  const SignalsLater later;
  if (nameless_ && error == 0) error = NamePart();
  // An error of close is one of writing: on network file systems a full disk is told here.
  if (close(std::exchange(file_, -1)) != 0 && error == 0) error = errno;
  if (part_.empty() || error != 0) return error;
  if (rename(part_.c_str(), target_.c_str()) != 0) return errno;
  part_.clear();
  removed_.reset();
  return 0;
}

}  // namespace ncclwhy

#include "cli/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/escape.h"

namespace ncclwhy {
namespace {

// 0 or errno.
int WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

Status Failed(const std::string& path, int error) {
  return Status::Io("cannot write " + path + ": " + std::strerror(error));
}

// What a link points at, else the path itself.
std::string Target(const std::string& path) {
  char* real = realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string out(real);
  std::free(real);
  return out;
}

// While it lives, a signal that ends the program takes the unfinished file away first.
class Unfinished {
 public:
  explicit Unfinished(const std::string& path) {
    if (path.size() >= sizeof path_) return;
    std::memcpy(path_, path.c_str(), path.size() + 1);
    for (size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction action {};
      action.sa_handler = &Unfinished::Remove;
      action.sa_flags = static_cast<int>(SA_RESETHAND);
      sigaction(kSignals[i], nullptr, &old_[i]);
      // Who ignores a signal (nohup) goes on ignoring it.
      if (old_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
    }
    armed_ = true;
  }
  ~Unfinished() {
    if (!armed_) return;
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &old_[i], nullptr);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

  // Only what a signal handler may call; the signal comes again, with its old meaning.
  static void Remove(int number) {
    unlink(path_);
    raise(number);
  }

  static inline char path_[PATH_MAX];
  std::array<struct sigaction, kSignals.size()> old_{};
  bool armed_ = false;
};

mode_t NewFileMode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

Written WriteStandardOutput(std::string_view bytes) {
  const int error = WriteAll(STDOUT_FILENO, bytes);
  if (error == 0) return Written::kAll;
  if (error == EPIPE) return Written::kReaderGone;
  Complain(std::string("cannot write to standard output: ") + std::strerror(error));
  return Written::kFailed;
}

Status WriteFile(const std::string& path, std::string_view bytes) {
  const std::string target = Target(path);
  struct stat old {};
  const bool exists = stat(target.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) return Failed(path, EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {  // /dev/null, /dev/stdout, a pipe
    const int device = open(target.c_str(), O_WRONLY | O_CLOEXEC);
    if (device < 0) return Failed(path, errno);
    const int error = WriteAll(device, bytes);
    close(device);
    return error == 0 || error == EPIPE ? Status() : Failed(path, error);
  }
  std::string name = target + ".XXXXXX";
  const int file = mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return Failed(path, errno);
  const Unfinished unfinished(name);
  int error = WriteAll(file, bytes);
  if (error == 0 && fchmod(file, exists ? old.st_mode & 07777 : NewFileMode()) != 0) error = errno;
  if (close(file) != 0 && error == 0) error = errno;
  if (error == 0 && rename(name.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return {};
  unlink(name.c_str());
  return Failed(path, error);
}

void Complain(std::string_view sentence) {
  // Nobody can be told when standard error is closed, too.
  (void)WriteAll(STDERR_FILENO, "ncclwhy: " + EscapeTerminal(sentence) + "\n");
}

}  // namespace ncclwhy

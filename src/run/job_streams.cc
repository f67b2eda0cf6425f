#include "run/job_streams.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ncclwhy {
namespace {

// Fewer changes between the command and us. Without the right to it the pipe stays as it is.
constexpr int kPipeBytes = 1 << 20;

Status Failed(const std::string& what) { return Status::Io("cannot open " + what + ": " + std::strerror(errno)); }

// `2>&1` of the shell: one file behind two descriptors, in which the order of lines matters.
bool SameFile(int a, int b) {
  struct stat one {
  }, other{};
  return ::fstat(a, &one) == 0 && ::fstat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// The command's end, or -1. `like`: the terminal whose size and, with `cooked`, whose modes it gets.
// As it is for a program on a terminal: it asks whether its output is one, and how wide.
int OpenTerminal(int like, bool cooked, int* master) {
  *master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (*master < 0 || ::grantpt(*master) != 0 || ::unlockpt(*master) != 0) return -1;
  char name[128];
  if (::ptsname_r(*master, name, sizeof name) != 0) return -1;
  const int slave = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (slave < 0) return -1;
  termios modes{};
  // Raw for a stream that is only shown: the bytes came out of a terminal once and must not get a second \r.
  if (::tcgetattr(cooked ? like : slave, &modes) == 0) {
    if (!cooked) modes.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    (void)::tcsetattr(slave, TCSANOW, &modes);
  }
  winsize size{};
  if (::ioctl(like, TIOCGWINSZ, &size) == 0) (void)::ioctl(slave, TIOCSWINSZ, &size);
  return slave;
}

}  // namespace

void JobStreams::CloseOurs() {
  for (Relayed& stream : relayed) {
    if (stream.from >= 0 && stream.from != master) ::close(stream.from);
    stream.from = -1;
  }
  if (master >= 0) ::close(master);
  master = -1;
}

void JobStreams::CloseJobs() {
  // Two of the three may be one descriptor: it is closed once.
  std::sort(job.begin(), job.end());
  for (size_t i = 0; i < job.size(); ++i) {
    if (job[i] > STDERR_FILENO && (i == 0 || job[i] != job[i - 1])) ::close(job[i]);
  }
  job = {-1, -1, -1};
}

Result<JobStreams> OpenJobStreams() {
  JobStreams out;
  const std::array<bool, 3> terminals = {::isatty(0) == 1, ::isatty(1) == 1, ::isatty(2) == 1};
  out.terminal = terminals[0] && terminals[1];
  out.reads_terminal = terminals[0] && !out.terminal;
  // The size and, where keys are read, the modes of the terminal that the output goes to.
  if (terminals[1] || terminals[2]) {
    const int like = terminals[1] ? 1 : 2;
    const int slave = OpenTerminal(like, out.terminal, &out.master);
    if (slave < 0) return Failed("a pseudo-terminal");
    if (out.terminal) out.job[0] = slave;
    if (terminals[1]) out.job[1] = slave;
    if (terminals[2]) out.job[2] = slave;
    out.relayed.push_back({out.master, like,
                           terminals[1] && terminals[2] ? "output"
                           : like == 1                  ? "stdout"
                                                        : "stderr"});
  }
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    const auto index = static_cast<size_t>(fd);
    // A descriptor that is closed stays closed for the command.
    if (out.job[index] >= 0 || ::fcntl(fd, F_GETFD) < 0) continue;
    if (fd == STDERR_FILENO && out.job[1] >= 0 && !terminals[1] && SameFile(1, 2)) {
      out.job[2] = out.job[1];
      out.relayed.back().name = "output";
      continue;
    }
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return Failed("a pipe");
    // Ours alone does not wait: O_NONBLOCK belongs to the open file, and the command has the other end.
    (void)::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    (void)::fcntl(ends[0], F_SETPIPE_SZ, kPipeBytes);
    out.job[index] = ends[1];
    out.relayed.push_back({ends[0], fd, fd == STDOUT_FILENO ? "stdout" : "stderr"});
  }
  return out;
}

}  // namespace ncclwhy

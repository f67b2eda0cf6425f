#include "child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace ncclwhy::bench {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// Reads both pipes until both are closed.
void Drain(int out, int err, Outcome* outcome) {
  pollfd fds[] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::string* texts[] = {&outcome->out, &outcome->err};
  char buffer[65536];
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    if (poll(fds, 2, -1) < 0 && errno != EINTR) return;
    for (int i = 0; i < 2; ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      const ssize_t size = read(fds[i].fd, buffer, sizeof buffer);
      if (size > 0) {
        texts[i]->append(buffer, static_cast<size_t>(size));
      } else if (size == 0 || errno != EINTR) {
        close(fds[i].fd);
        fds[i].fd = -1;
      }
    }
  }
}

}  // namespace

Result<Outcome> RunChild(const std::vector<std::string>& argv) {
  int out[2], err[2];
  if (pipe(out) != 0 || pipe(err) != 0) return Status::Io(std::strerror(errno));
  std::vector<char*> args;
  for (const std::string& arg : argv) args.push_back(const_cast<char*>(arg.c_str()));  // NOLINT: exec's signature
  args.push_back(nullptr);
  const auto begin = std::chrono::steady_clock::now();
  const pid_t pid = fork();
  if (pid < 0) return Status::Io(std::strerror(errno));
  if (pid == 0) {
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(out[1], 1);
    dup2(err[1], 2);
    for (int fd : {null, out[0], out[1], err[0], err[1]}) close(fd);
    execv(args[0], args.data());
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  Outcome outcome;
  Drain(out[0], err[0], &outcome);
  int status = 0;
  rusage usage{};
  while (wait4(pid, &status, 0, &usage) < 0) {
    if (errno != EINTR) return Status::Io(std::strerror(errno));
  }
  outcome.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  outcome.cpu_seconds = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  outcome.peak_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  outcome.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

ScratchDirectory::ScratchDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "ncclwhy-bench-XXXXXX").string();
  if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace ncclwhy::bench

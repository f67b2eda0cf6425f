#include "hostile/run_limited.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "catch.h"

namespace ncclwhy::hostile {
namespace {

struct Pipe {
  int read = -1;
  int write = -1;
  Pipe() {
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    read = ends[0];
    write = ends[1];
  }
};

[[noreturn]] void Child(const std::vector<std::string>& arguments, int in, int out, int err, const Limits& limits) {
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  if (limits.address_space > 0 && !Sanitized()) {
    const rlimit bytes{limits.address_space, limits.address_space};
    setrlimit(RLIMIT_AS, &bytes);
  }
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  alarm(limits.seconds);
  std::vector<char*> argv = {const_cast<char*>(Binary())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

// Writes what `input` makes until the reader is gone; returns what was taken.
uint64_t Write(int fd, const Generator& input) {
  constexpr size_t kAtOnce = 1u << 20;
  uint64_t fed = 0;
  std::string buffer;
  bool open = true;
  const auto flush = [&] {
    for (std::string_view rest = buffer; open && !rest.empty();) {
      const ssize_t n = write(fd, rest.data(), rest.size());
      if (n < 0 && errno == EINTR) continue;
      open = n > 0;
      if (!open) break;
      fed += static_cast<uint64_t>(n);
      rest.remove_prefix(static_cast<size_t>(n));
    }
    buffer.clear();
  };
  input([&](std::string_view bytes) {
    buffer.append(bytes);
    if (buffer.size() >= kAtOnce) flush();
    return open;
  });
  flush();
  close(fd);
  return fed;
}

void Read(int out, int err, Outcome* outcome) {
  pollfd ends[] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::string* texts[] = {&outcome->out, &outcome->err};
  std::vector<char> buffer(1u << 16);
  for (int open = 2; open > 0;) {
    if (poll(ends, 2, -1) < 0) continue;
    for (int i = 0; i < 2; ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      const ssize_t n = read(ends[i].fd, buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        close(ends[i].fd);
        ends[i].fd = -1;
        --open;
        continue;
      }
      const auto got = static_cast<size_t>(n);
      if (i == 0) outcome->out_bytes += got;
      if (texts[i]->size() < Outcome::kKept) texts[i]->append(buffer.data(), got);
    }
  }
}

}  // namespace

Outcome RunLimited(const std::vector<std::string>& arguments, const Generator& input, const Limits& limits) {
  std::signal(SIGPIPE, SIG_IGN);
  Pipe out;
  Pipe err;
  int in = -1;
  int feed = -1;
  if (input) {
    const Pipe pipe;
    in = pipe.read;
    feed = pipe.write;
  } else {
    in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGPIPE, SIG_DFL);
    Child(arguments, in, out.write, err.write, limits);
  }
  close(in);
  close(out.write);
  close(err.write);
  Outcome outcome;
  std::thread writer;
  if (input) writer = std::thread([&] { outcome.fed_bytes = Write(feed, input); });
  Read(out.read, err.read, &outcome);
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  if (writer.joinable()) writer.join();
  outcome.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  outcome.peak_bytes = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  outcome.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  return outcome;
}

const char* Binary() {
  const char* other = std::getenv("NCCLWHY");
  return other != nullptr ? other : NCCLWHY_BINARY;
}

bool Sanitized() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
  return __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
  return false;
#endif
}

bool Full() {
  const char* value = std::getenv("NCCLWHY_HOSTILE");
  return value != nullptr && std::string_view(value) == "full";
}

}  // namespace ncclwhy::hostile

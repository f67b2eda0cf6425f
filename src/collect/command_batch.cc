#include "collect/command_batch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "collect/host_process.h"

namespace ncclwhy {
namespace {

using Clock = std::chrono::steady_clock;

// As many as a host bears while its job hangs; most of them wait and do not compute.
constexpr size_t kSideBySide = 16;
constexpr int kTick = 20;  // milliseconds
// Behind the end of a command, for what is still in its pipe: something it has left behind may hold that open.
constexpr auto kRest = std::chrono::milliseconds(200);
// By which its processes are found again, whatever became of their parents and groups.
constexpr char kMark[] = "NCCLWHY_COLLECTS";
// Where tools lie that are not in everybody's path.
constexpr char kMorePath[] = "/usr/sbin:/sbin:/usr/local/bin:/usr/local/cuda/bin:/opt/rocm/bin";

// Of each command another one.
std::string NewMark() {
  static int number = 0;
  return std::to_string(::getpid()) + "." + std::to_string(++number);
}

class Running {
 public:
  explicit Running(CommandRun* run) : run_(run), mark_(NewMark()), begun_(Clock::now()) {}
  ~Running() {
    if (pipe_ >= 0) ::close(pipe_);
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // False: it is not here.
  bool Start() {
    int out[2], failure[2];
    if (::pipe2(out, O_CLOEXEC) != 0) return false;
    if (::pipe2(failure, O_CLOEXEC) != 0) {
      ::close(out[0]);
      ::close(out[1]);
      return false;
    }
    std::vector<char*> words;
    for (std::string& word : run_->words) words.push_back(word.data());
    words.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) Exec(words.data(), out[1], failure[1]);
    ::close(out[1]);
    ::close(failure[1]);
    int error = 0;
    // The pipe is closed by exec where that works: nothing comes through it then.
    const bool failed = pid_ < 0 || ::read(failure[0], &error, sizeof error) > 0;
    ::close(failure[0]);
    pipe_ = out[0];
    (void)::fcntl(pipe_, F_SETFL, O_NONBLOCK);
    // Absent, which most tools are on most hosts: `ibstat` without InfiniBand, `rocm-smi` beside cards of NVIDIA.
    if (!failed) return true;
    if (pid_ > 0) (void)::waitpid(pid_, nullptr, 0);
    return false;
  }

  int pipe() const { return pipe_; }

  // True when it is over.
  bool Look() {
    const auto now = Clock::now();
    const bool all = Read();
    int status = 0;
    if (!ended_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
      ended_ = true;
      ended_at_ = now;
      run_->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    // First what it printed, then whether it ended: a command that printed too much and ended is full.
    if (run_->output.size() >= kMostOutput) return End(CommandRun::End::kFull);
    if (ended_ && (all || now - ended_at_ > kRest)) return End(CommandRun::End::kEnded);
    if (now - begun_ > run_->limit) return End(CommandRun::End::kStopped);
    return false;
  }

 private:
  [[noreturn]] void Exec(char** words, int out, int failure) const {
    (void)::setpgid(0, 0);
    const int nothing = ::open("/dev/null", O_RDONLY);
    (void)::dup2(nothing, STDIN_FILENO);
    (void)::dup2(out, STDOUT_FILENO);
    (void)::dup2(out, STDERR_FILENO);
    // The command line that starts this program has blocked signals; its commands must be killable.
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    (void)::signal(SIGPIPE, SIG_DFL);
    (void)::setenv("LC_ALL", "C", 1);
    (void)::setenv(kMark, mark_.c_str(), 1);
    const char* path = ::getenv("PATH");
    (void)::setenv("PATH", ((path != nullptr ? std::string(path) : "/usr/bin:/bin") + ":" + kMorePath).c_str(), 1);
    ::execvp(words[0], words);
    const int error = errno;
    (void)!::write(failure, &error, sizeof error);
    ::_exit(127);
  }

  // True at the end of its output.
  bool Read() {
    char bytes[64 << 10];
    // What is beyond stays in the pipe, and the command waits until it is ended.
    while (run_->output.size() < kMostOutput) {
      const ssize_t n = ::read(pipe_, bytes, sizeof bytes);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return n == 0;
      run_->output.append(bytes, static_cast<size_t>(n));
    }
    return false;
  }

  bool End(CommandRun::End how) {
    run_->end = how;
    run_->took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun_);
    // It ended by itself: what it left behind may live, as a daemon that a tool starts does.
    if (ended_) return true;
    (void)::kill(-pid_, SIGKILL);
    // Also what has left the group, and daemons. One may be on its way while we look.
    for (int i = 0; i < 3; ++i) {
      const std::vector<pid_t> started = ProcessesWith(kMark, mark_);
      for (const pid_t pid : started) (void)::kill(pid, SIGKILL);
      if (started.empty()) break;
    }
    // A process in the driver's hands does not die at once; it is not waited for.
    for (int i = 0; i < 50 && ::waitpid(pid_, nullptr, WNOHANG) == 0; ++i) ::usleep(2000);
    return true;
  }

  CommandRun* const run_;
  std::string mark_;
  const Clock::time_point begun_;
  Clock::time_point ended_at_{};
  pid_t pid_ = -1;
  int pipe_ = -1;
  bool ended_ = false;
};

}  // namespace

void RunBatch(std::vector<CommandRun*> batch) {
  // From the back, so that taking the next one moves none.
  std::reverse(batch.begin(), batch.end());
  std::vector<std::unique_ptr<Running>> running;
  while (!batch.empty() || !running.empty()) {
    while (!batch.empty() && running.size() < kSideBySide) {
      auto next = std::make_unique<Running>(batch.back());
      batch.pop_back();
      if (next->Start()) running.push_back(std::move(next));
    }
    std::vector<pollfd> wanted;
    for (const auto& one : running) wanted.push_back({one->pipe(), POLLIN, 0});
    (void)::poll(wanted.data(), wanted.size(), kTick);
    // A pipe that has ended is always ready.
    // Without a pause the loop would turn as fast as it can until the processes are reaped.
    const bool only_ends =
        std::all_of(wanted.begin(), wanted.end(), [](const pollfd& p) { return p.revents == POLLHUP; });
    if (only_ends && !wanted.empty()) ::usleep(1000);
    std::erase_if(running, [](const auto& one) { return one->Look(); });
  }
}

}  // namespace ncclwhy

#include "run/wrapper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "run/job_streams.h"
#include "run/pulse_watch.h"
#include "run/shared_memory.h"
#include "run/terminal_modes.h"

namespace ncclwhy {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTick = 500;  // milliseconds between two looks at the output
// Of a look: so much of a command that prints 100 MB/s is seen, too.
constexpr size_t kLook = 64 << 10;

// A launcher that was asked to end, and ends with a status of its own: mpirun's is 1.
constexpr auto kStopTakes = std::chrono::seconds(60);

// What a whole process group gets from a terminal, a service manager or `timeout`.
bool IsForGroup(int number) {
  return number == SIGHUP || number == SIGINT || number == SIGQUIT || number == SIGTERM || number == SIGTSTP ||
         number == SIGCONT;
}

// All signals are blocked and read from a descriptor, until this goes out of scope.
class Signals {
 public:
  Signals() {
    sigset_t caught;
    ::sigfillset(&caught);
    // Those are raised by a fault of this process itself and must end it. SIGPIPE is ignored or not as it was
    // inherited.
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPIPE}) {
      ::sigdelset(&caught, fault);
    }
    ::sigprocmask(SIG_BLOCK, &caught, &inherited_);
    // Ignored it would be reaped by the kernel, and waitpid would know nothing of the keeper's end.
    (void)::signal(SIGCHLD, SIG_DFL);
    fd_ = ::signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~Signals() {
    ::close(fd_);
    ::sigprocmask(SIG_SETMASK, &inherited_, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int fd() const { return fd_; }
  const sigset_t& inherited() const { return inherited_; }

 private:
  int fd_ = -1;
  sigset_t inherited_{};
};

// A terminal that shows bytes as they are needs the return of the carriage.
std::string ForRawTerminal(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') out += '\r';
    out += c;
  }
  return out;
}

// Everything happens in Round, by what a descriptor has to say: signals, the keeper, keys, room in the pseudo-terminal.
// There is no second thread: forking would copy it in the middle of something.
class WrapperProcess {
 public:
  explicit WrapperProcess(const WrapperOptions& options) : options_(options) {}
  ~WrapperProcess() {
    EndAnswer();
    streams_.CloseOurs();
    for (const int fd : {looks_, keeper_.messages}) {
      if (fd >= 0) ::close(fd);
    }
  }
  WrapperProcess(const WrapperProcess&) = delete;
  WrapperProcess& operator=(const WrapperProcess&) = delete;

  Result<CommandEnd> Run() {
    if (Status status = Start(); !status.ok()) return status;
    if (streams_.terminal) terminal_.MakeRaw();
    watch_.Begin(Clock::now());
    while (!over_) Round();
    EndAnswer();
    end_.answered = answered_.get() != nullptr && *answered_.get();
    end_.unlogged = Unlogged();
    return end_;
  }

 private:
  // Streams first, then the keeper, which starts the command. Our copies of what only the keeper needs are closed, else
  // the end of a stream would never be seen.
  Status Start() {
    Result<JobStreams> streams = OpenJobStreams();
    if (!streams.ok()) return streams.status();
    streams_ = streams.take();
    int look[2] = {-1, -1};
    // Without a watch no sample is needed, and the keeper writes to no pipe.
    if (options_.hang.count() > 0 && ::pipe2(look, O_CLOEXEC | O_NONBLOCK) != 0) {
      return Status::Io(std::string("cannot open a pipe: ") + std::strerror(errno));
    }
    looks_ = look[0];
    const KeeperSpec spec{options_.command, options_.environment,         options_.logs, unlogged_.get(),
                          look[1],          options_.ignores_broken_pipes};
    Result<Keeper> keeper = StartKeeper(spec, &streams_, signals_.inherited());
    if (look[1] >= 0) ::close(look[1]);
    if (!keeper.ok()) return keeper.status();
    keeper_ = keeper.take();
    for (JobStreams::Relayed& stream : streams_.relayed) {
      if (stream.from != streams_.master) ::close(stream.from);  // else a closed reader would not be seen
      stream.from = streams_.master;
    }
    return {};
  }

  // Nothing is to be looked at without a watch: then it sleeps until somebody speaks.
  void Round() {
    const bool reads = streams_.terminal && terminal_.raw() && typed_.empty() && !input_ended_;
    pollfd wanted[] = {{signals_.fd(), POLLIN, 0},
                       {keeper_.messages, POLLIN, 0},
                       {reads ? STDIN_FILENO : -1, POLLIN, 0},
                       {typed_.empty() ? -1 : streams_.master, POLLOUT, 0}};
    if (::poll(wanted, 4, looks_ >= 0 ? kTick : -1) < 0 && errno != EINTR) over_ = true;
    if (wanted[2].revents != 0) Type();
    if (wanted[3].revents != 0) PassOn();
    if (wanted[0].revents != 0) TakeSignals();
    if (wanted[1].revents != 0) Hear();
    if (looks_ >= 0 && !over_) Look();
  }

  // Keys are handed on as they come, and nothing is read while some wait for room. Ctrl-C and Ctrl-\ are keys here, as
  // the terminal is raw: the command's own terminal makes signals of them.
  void Type() {
    char keys[4096];
    const ssize_t n = ::read(STDIN_FILENO, keys, sizeof keys);
    if (n > 0) typed_.assign(keys, static_cast<size_t>(n));
    // They come as keys where the terminal is raw: ^C and ^\.
    for (const auto& [key, number] : {std::pair{'\x03', SIGINT}, std::pair{'\x1c', SIGQUIT}}) {
      if (typed_.find(key) != std::string::npos) Note(number);
    }
    input_ended_ = n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
    PassOn();
  }

  void PassOn() {
    if (typed_.empty()) return;
    const ssize_t n = ::write(streams_.master, typed_.data(), typed_.size());
    if (n > 0) typed_.erase(0, static_cast<size_t>(n));
    if (n < 0 && errno != EINTR && errno != EAGAIN) typed_.clear();
  }

  // Without waiting for an answer: a keeper that is gone is noticed by Hear.
  void Send(KeeperMessage::Kind kind, int value) {
    const KeeperMessage message{kind, value};
    (void)!::send(keeper_.messages, &message, sizeof message, MSG_NOSIGNAL);
  }

  // What comes to us was meant for the command, but for what tells of our own children and terminal.
  void TakeSignals() {
    signalfd_siginfo info;
    while (::read(signals_.fd(), &info, sizeof info) == sizeof info) {
      const int number = static_cast<int>(info.ssi_signo);
      if (number == SIGCHLD) {
        Reap();
      } else if (number == SIGWINCH) {
        Resize();
        // Of a background process that reads or writes the terminal: the shell's matter, and the command has a terminal
        // of its own.
      } else if (number == SIGTTIN || number == SIGTTOU) {
        continue;
      } else if (number == SIGCONT) {
        GoOn();
      } else if (streams_.reads_terminal && info.ssi_code == SI_KERNEL) {
        Note(number);  // the command is in our process group and got it, too
      } else {
        Note(number);
        Send(IsForGroup(number) ? KeeperMessage::kSignalGroup : KeeperMessage::kSignal, number);
      }
    }
  }

  // Remembered for whoever has to say how it ended: a stop that was asked for is no failure.
  void Note(int number) {
    end_.passed_on |= uint64_t{1} << (number & 63);
    if (number != SIGHUP && number != SIGINT && number != SIGQUIT && number != SIGTERM) return;
    end_.stop_signal = number;
    stopped_ = Clock::now();
  }

  // The command's terminal is as large as ours. Where its standard error alone is one, nobody else tells the command.
  void Resize() {
    winsize size{};
    if (streams_.master < 0 || ::ioctl(streams_.terminal ? STDIN_FILENO : STDERR_FILENO, TIOCGWINSZ, &size) != 0)
      return;
    (void)::ioctl(streams_.master, TIOCSWINSZ, &size);
    if (!streams_.terminal) Send(KeeperMessage::kSignal, SIGWINCH);
  }

  // The shell has brought us to the foreground again: keys are ours, and the time it slept counts as no silence.
  void GoOn() {
    if (streams_.terminal) terminal_.MakeRaw();
    Resize();
    Send(KeeperMessage::kSignalGroup, SIGCONT);
    watch_.Begin(Clock::now());
  }

  void Hear() {
    KeeperMessage message;
    const ssize_t n = ::recv(keeper_.messages, &message, sizeof message, MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    // The keeper was killed: nobody knows how the command ended, or whether it did.
    if (n != sizeof message) {
      end_.lost = 1;
      over_ = true;
      return;
    }
    switch (message.kind) {
      case KeeperMessage::kStarted:
        command_ = message.value;
        break;
      case KeeperMessage::kStopped:
        // SIGSTOP and not SIGTSTP, which is blocked here.
        // The shell that started us has to see it. SIGCONT comes through the descriptor.
        terminal_.Restore();
        (void)::raise(SIGSTOP);
        break;
      case KeeperMessage::kDropped:
        end_.dropped_mib = message.value;
        break;
      case KeeperMessage::kNotFound:
        end_.error = message.value;
        over_ = true;
        break;
      case KeeperMessage::kExited:
        end_.status = message.value;
        end_.silent = told_;
        // A stop that was asked for long ago did not end it: the command lived on and failed by itself.
        if (Clock::now() - stopped_ > kStopTakes) end_.stop_signal = 0;
        over_ = true;
        Send(KeeperMessage::kHangUp, 0);
        break;
      default:
        break;
    }
  }

  // At most every kTick. What the command prints beyond kLook in that time is not looked at: the keeper drops what the
  // pipe has no room for.
  void Look() {
    const auto now = Clock::now();
    // The loop wakes up for keys and signals as well; samples are taken at most every kTick.
    if (now - looked_ < std::chrono::milliseconds(kTick)) return;
    looked_ = now;
    char bytes[kLook];
    const ssize_t n = ::read(looks_, bytes, sizeof bytes);
    if (n > 0) {
      watch_.See({bytes, static_cast<size_t>(n)}, now);
      // Fewer beats than a silence has seconds would flicker: one sign of work ends it.
      if (told_ && now - watch_.last_sign() < options_.hang) {
        told_ = false;
        EndAnswer();
        if (options_.goes_on) options_.goes_on();
      }
    }
    if (told_ || now - watch_.last_sign() < options_.hang) return;
    told_ = true;
    Answer({std::chrono::duration_cast<std::chrono::seconds>(now - watch_.last_sign()), watch_.only_chatter(), command_,
            Unlogged()});
  }

  std::string Unlogged() const { return unlogged_.get() != nullptr ? unlogged_.get()->Text() : std::string(); }

  // In a copy of this process, so that reading logs takes no time from the command's output and signals. It may be
  // killed at any moment: when the work goes on, or the command ends.
  void Answer(const Silence& silence) {
    answering_ = ::fork();
    if (answering_ != 0) return;
    // A group of its own, which EndAnswer ends with all that reading logs has started.
    (void)::setpgid(0, 0);  // Ctrl-C is for the command
    ::sigprocmask(SIG_SETMASK, &signals_.inherited(), nullptr);
    std::string text = options_.answer(silence);
    if (terminal_.raw()) text = ForRawTerminal(text);
    if (!text.empty() && answered_.get() != nullptr) *answered_.get() = true;
    (void)!::write(STDERR_FILENO, text.data(), text.size());
    ::_exit(0);
  }

  void EndAnswer() {
    if (answering_ <= 0) return;
    // The group is there only if the copy got so far.
    (void)::kill(-answering_, SIGKILL);
    (void)::kill(answering_, SIGKILL);
    (void)::waitpid(answering_, nullptr, 0);
    answering_ = -1;
  }

  // Of all children: the answer's copy is ours, and so is the keeper, of which Hear knows.
  void Reap() {
    for (pid_t pid; (pid = ::waitpid(-1, nullptr, WNOHANG)) > 0;) {
      if (pid == answering_) answering_ = -1;
    }
  }

  const WrapperOptions& options_;
  Signals signals_;
  TerminalModes terminal_;
  JobStreams streams_;
  Keeper keeper_;
  PulseWatch watch_;
  CommandEnd end_;
  SharedMemory<UnloggedOutput> unlogged_;
  SharedMemory<std::atomic<bool>> answered_;
  std::string typed_;  // that the command has not taken yet
  bool input_ended_ = false;
  bool over_ = false;
  bool told_ = false;  // this silence
  int looks_ = -1;
  pid_t command_ = -1;
  pid_t answering_ = -1;
  Clock::time_point looked_{};
  Clock::time_point stopped_{};  // when it was asked to end
};

}  // namespace

Result<CommandEnd> RunCommand(const WrapperOptions& options) {
  if (!options.logs.empty() && !options.command.empty()) return WrapperProcess(options).Run();
  // Who calls has checked both; nothing is started into a folder that has no name.
  return Status::InvalidArgument("nothing to run");
}

}  // namespace ncclwhy

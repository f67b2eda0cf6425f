#include "run/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "run/stream_relay.h"

namespace ncclwhy {
namespace {

// A daemon that the command left behind may print for ever; its pipe is then left, and the command's end is told.
// When the command has ended, what it left behind may go on printing: so many rounds of what has arrived are waited
// for.
constexpr int kRoundsBehindEnd = 4096;

// For exec, which changes nothing although it takes char*. The words must live as long.
std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

class KeeperProcess {
 public:
  KeeperProcess(const KeeperSpec& spec, JobStreams* streams, int messages, pid_t wrapper_group, pid_t wrapper)
      : spec_(spec), streams_(streams), messages_(messages), wrapper_group_(wrapper_group), wrapper_(wrapper) {}

  // The streams are set up before the command starts, and what only the command needs is closed behind that.
  [[noreturn]] void Run(const sigset_t& inherited_mask) {
    // A session of its own takes its controlling terminal by asking for it.
    if (streams_->terminal) {
      (void)::setsid();
      (void)::ioctl(streams_->job[0], TIOCSCTTY, 0);
    } else {
      (void)::setpgid(0, 0);
    }
    for (const JobStreams::Relayed& stream : streams_->relayed) {
      relays_.push_back(std::make_unique<StreamRelay>(::fcntl(stream.from, F_DUPFD_CLOEXEC, 3), stream.to,
                                                      spec_.logs + "/" + stream.name + ".log", spec_.unlogged,
                                                      spec_.watcher));
    }
    sigset_t children;
    ::sigemptyset(&children);
    ::sigaddset(&children, SIGCHLD);
    children_ = ::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    Start(inherited_mask);
    streams_->CloseJobs();
    streams_->CloseOurs();
    // The wrapper reads keys from standard input: a copy that is open here would keep a pipe's writer waiting when the
    // wrapper is gone.
    if (::fcntl(STDIN_FILENO, F_GETFD) >= 0) {
      const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
      if (nothing >= 0) (void)::dup2(nothing, STDIN_FILENO);
      if (nothing > STDIN_FILENO) ::close(nothing);
    }
    while (!Done()) Round();
    ::_exit(0);
  }

 private:
  // A wrapper that is gone is told nothing; one that does not read keeps the keeper waiting, a packet is short.
  void Tell(KeeperMessage::Kind kind, int value) {
    if (messages_ < 0) return;
    const KeeperMessage message{kind, value};
    while (::send(messages_, &message, sizeof message, MSG_NOSIGNAL) < 0 && errno == EINTR) {
    }
  }

  // exec closes it as well when it works (CLOEXEC), so the end of it without bytes is the good news.
  // A pipe that exec closes tells whether it worked: bytes in it are the errno.
  void Start(const sigset_t& inherited_mask) {
    int failure[2];
    if (::pipe2(failure, O_CLOEXEC) != 0) ::_exit(1);
    job_ = ::fork();
    if (job_ == 0) Exec(inherited_mask, failure[1]);
    ::close(failure[1]);
    int error = 0;
    if (job_ < 0) {
      error = errno;
    } else {
      // In both processes: whichever comes first, the group is there before anybody signals it.
      if (!streams_->reads_terminal) (void)::setpgid(job_, job_);
      while (::read(failure[0], &error, sizeof error) < 0 && errno == EINTR) {
      }
    }
    ::close(failure[0]);
    if (error == 0) return Tell(KeeperMessage::kStarted, job_);
    Tell(KeeperMessage::kNotFound, error);
    ::_exit(1);
  }

  // Between fork and exec: only what may be called there.
  [[noreturn]] void Exec(const sigset_t& inherited_mask, int failure) {
    (void)::setpgid(0, streams_->reads_terminal ? wrapper_group_ : 0);
    // SIGTTOU is blocked here, so that a group in the background may do this.
    if (streams_->terminal) (void)::tcsetpgrp(streams_->job[0], ::getpid());
    for (int fd = 0; fd < 3; ++fd) {
      const int end = streams_->job[static_cast<size_t>(fd)];
      if (end >= 0) (void)::dup2(end, fd);
    }
    // Python sets it to be ignored, and programs that it starts inherit that: the command gets what it would have got.
    if (!spec_.ignores_broken_pipes) (void)::signal(SIGPIPE, SIG_DFL);
    const std::vector<char*> command = Pointers(spec_.command);
    std::vector<char*> environment = Pointers(spec_.environment);
    (void)::sigprocmask(SIG_SETMASK, &inherited_mask, nullptr);
    ::execvpe(command[0], command.data(), environment.data());
    const int error = errno;
    (void)!::write(failure, &error, sizeof error);
    ::_exit(127);
  }

  // When the command has ended, the wrapper knows it, and all that was printed has been handed on.
  bool Done() const {
    return ended_ && told_ && std::all_of(relays_.begin(), relays_.end(), [](const auto& r) { return r->ended(); });
  }

  // One wait for everything. Behind the end it only looks what has still arrived.
  void Round() {
    std::vector<pollfd> wanted = {{children_, POLLIN, 0}, {messages_, POLLIN, 0}};
    for (const auto& relay : relays_) wanted.push_back(relay->Wanted());
    // Behind the end nothing is waited for: what is still in the pipes is taken, and then it is over.
    const bool behind_end = ended_ && !told_;
    if (::poll(wanted.data(), wanted.size(), behind_end ? 0 : -1) < 0 && errno != EINTR) ::_exit(1);
    for (size_t i = 0; i < relays_.size(); ++i) relays_[i]->Move(wanted[i + 2].revents, messages_ < 0);
    if (wanted[0].revents != 0) Reap();
    if (wanted[1].revents != 0) Hear();
    if (ended_ && !told_) {
      const bool idle = std::all_of(relays_.begin(), relays_.end(), [](const auto& r) { return r->Idle(); });
      const bool blocked = std::any_of(relays_.begin(), relays_.end(), [](const auto& r) { return r->Blocked(); });
      // Its reader takes its time; the last bytes are his all the same.
      if (blocked && !idle) {  // its reader takes its time
        pollfd reader = wanted.back();
        (void)::poll(&reader, 1, 10);
        return;
      }
      if (idle || ++rounds_ > kRoundsBehindEnd) {
        told_ = true;
        uint64_t dropped = 0;
        for (const auto& relay : relays_) dropped += relay->dropped();
        // Rounded up: 1 MiB means that something is missing.
        if (dropped > 0) Tell(KeeperMessage::kDropped, static_cast<int>((dropped >> 20) + 1));
        Tell(KeeperMessage::kExited, status_);
      }
    }
  }

  // Of the command only its own changes count; other children were adopted.
  // waitpid with -1: as long as one is left unread its SIGCHLD would come again and again.
  void Reap() {
    signalfd_siginfo drop;
    while (::read(children_, &drop, sizeof drop) > 0) {
    }
    int status = 0;
    for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED)) > 0;) {
      if (pid != job_) continue;
      if (WIFSTOPPED(status)) {
        Tell(KeeperMessage::kStopped, WSTOPSIG(status));
      } else if (WIFCONTINUED(status)) {
        // Somebody else woke it up: the wrapper, which stopped with it, must not stay behind.
        if (messages_ >= 0 && ::getppid() == wrapper_) (void)::kill(wrapper_, SIGCONT);
      } else {
        ended_ = true;
        status_ = status;
      }
    }
  }

  // When the wrapper is gone the command goes on: nobody can send it anything any more.
  void Hear() {
    KeeperMessage message;
    const ssize_t n = ::recv(messages_, &message, sizeof message, MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n != sizeof message || message.kind == KeeperMessage::kHangUp) {
      ::close(messages_);
      messages_ = -1;
      return;
    }
    if (ended_) return;  // the number may be somebody else's now
    if (message.kind == KeeperMessage::kSignal) (void)::kill(job_, message.value);
    if (message.kind != KeeperMessage::kSignalGroup) return;
    // A command that made a group of its own (a shell with job control) gets the signal itself; its group is its
    // business.
    const pid_t group = ::getpgid(job_);
    if (group == job_) {
      (void)::kill(-group, message.value);
    } else {
      (void)::kill(job_, message.value);
    }
  }

  const KeeperSpec& spec_;
  JobStreams* const streams_;
  int messages_;
  const pid_t wrapper_group_;
  const pid_t wrapper_;
  std::vector<std::unique_ptr<StreamRelay>> relays_;
  int children_ = -1;
  pid_t job_ = -1;
  bool ended_ = false;
  bool told_ = false;
  int status_ = 0;
  int rounds_ = 0;
};

}  // namespace

// The keeper is a copy of this process: all that it needs of `spec` is there.
Result<Keeper> StartKeeper(const KeeperSpec& spec, JobStreams* streams, const sigset_t& inherited_mask) {
  int ends[2];
  // Packets with an end: when one of both is gone the other one reads 0 bytes.
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return Status::Io(std::string("cannot open a socket: ") + std::strerror(errno));
  }
  const pid_t wrapper = ::getpid();
  const pid_t group = ::getpgrp();
  Keeper out{::fork(), ends[0]};
  if (out.pid == 0) {
    ::close(ends[0]);
    KeeperProcess(spec, streams, ends[1], group, wrapper).Run(inherited_mask);
  }
  const int error = errno;
  ::close(ends[1]);
  if (out.pid < 0) {
    ::close(ends[0]);
    return Status::Io(std::string("cannot start a process: ") + std::strerror(error));
  }
  // The keeper has its own copies of them.
  streams->CloseJobs();
  return out;
}

}  // namespace ncclwhy

#include "serve/head_gate.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace ncclwhy {

void TurnAway(int socket, std::string_view status_line, std::string_view code, std::string_view sentence) {
  const std::string body = "{\"error\":{\"status\":" + std::string(status_line.substr(0, 3)) + ",\"code\":\"" +
                           std::string(code) + "\",\"message\":\"" + std::string(sentence) + "\"}}\n";
  const std::string answer =
      "HTTP/1.1 " + std::string(status_line) +
      "\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
      "\r\n\r\n" + body;
  // It fits into the buffer of a socket that was never written to.
  (void)!::send(socket, answer.data(), answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  // Ours is said; the client reads it and the end, although its own bytes were not read.
  ::shutdown(socket, SHUT_WR);
  ::close(socket);
}

HeadGate::HeadGate(std::function<void(int socket, std::string_view head)> ready)
    : ready_(std::move(ready)), epoll_(::epoll_create1(EPOLL_CLOEXEC)), wake_(::eventfd(0, EFD_CLOEXEC)) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wake_;
  if (epoll_ < 0 || wake_ < 0 || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &event) != 0) {
    throw std::system_error(errno, std::generic_category(), "epoll");
  }
  thread_ = std::thread([this] { Run(); });
}

// The thread first, as it uses all that follows. One write wakes it out of epoll_wait.
HeadGate::~HeadGate() {
  const uint64_t one = 1;
  (void)!::write(wake_, &one, sizeof one);
  thread_.join();
  for (const Waiting& each : waiting_) ::close(each.socket);
  ::close(wake_);
  ::close(epoll_);
}

void HeadGate::Add(int socket) {
  int pushed_out = -1;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // The oldest goes: of all that wait it has said nothing for the longest time.
    if (waiting_.size() >= kWaiting) {
      pushed_out = waiting_.front().socket;
      Forget(pushed_out);
    }
    places_[socket] = waiting_.insert(waiting_.end(), {socket, Clock::now() + kHeadSeconds});
    // Only new bytes wake: those that were seen stay in the socket.
    epoll_event event{};
    event.events = EPOLLIN | EPOLLRDHUP | EPOLLET;
    event.data.fd = socket;
    // No memory for it in the kernel: this connection is turned away, all others stay.
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event) != 0) {
      places_.erase(socket);
      waiting_.pop_back();
      pushed_out = socket;
    }
  }
  if (pushed_out >= 0) TurnAway(pushed_out, "503 Service Unavailable", "busy", "too many connections wait");
}

// With the lock. Who does it owns the socket.
void HeadGate::Forget(int socket) {
  const auto place = places_.find(socket);
  waiting_.erase(place->second);
  places_.erase(place);
  ::epoll_ctl(epoll_, EPOLL_CTL_DEL, socket, nullptr);
}

void HeadGate::Run() {
  std::array<epoll_event, 64> events;
  for (;;) {
    // A fifth of a second: as late as that a 408 may be.
    const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 200);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<size_t>(i)];
      if (event.data.fd == wake_) return;
      Look(event.data.fd, (event.events & EPOLLRDHUP) != 0);
    }
    Expire();
  }
}

// `closing`: the other side sends no more. What it sent is all: httplib tells what is wrong with it.
void HeadGate::Look(int socket, bool closing) {
  std::array<char, kHeadBytes> bytes;
  bool whole = false;
  ssize_t size = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Pushed out meanwhile; another connection may have its number, and will be looked at for its own sake.
    if (places_.find(socket) == places_.end()) return;
    // MSG_PEEK: httplib reads the request from its beginning again.
    size = ::recv(socket, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
    // recv's 0 is the end of a connection that sent nothing more, and its -1 one that broke: neither has a head to hand
    // over.
    const std::string_view head(bytes.data(), size > 0 ? static_cast<size_t>(size) : 0);
    whole = head.find("\r\n\r\n") != std::string_view::npos || head.size() == bytes.size() || closing;
    // The beginning of a head: it waits for more.
    if (!whole && size > 0) return;
    Forget(socket);
  }
  if (whole && size > 0) return ready_(socket, {bytes.data(), static_cast<size_t>(size)});
  ::close(socket);
}

void HeadGate::Expire() {
  for (;;) {
    int socket = -1;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (waiting_.empty() || waiting_.front().until > Clock::now()) return;
      socket = waiting_.front().socket;
      Forget(socket);
    }
    // Without the lock, as it writes to a socket.
    TurnAway(socket, "408 Request Timeout", "client-too-slow", "the head of the request did not come in time");
  }
}

}  // namespace ncclwhy

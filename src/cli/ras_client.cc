#include "cli/ras_client.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <utility>

#include "base/limits.h"

namespace ncclwhy {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kRasScheme = "ras://";
// The port is NCCL's default, NCCL_RAS_ADDR may say another one.
constexpr char kRasPort[] = "28028";
constexpr auto kRasConnect = std::chrono::seconds(5);
// RAS itself waits for ranks that do not answer, TIMEOUT seconds and some more.
constexpr char kRasHello[] = "CLIENT PROTOCOL 2\n";
constexpr char kRasPatience[] = "TIMEOUT 10\n";
constexpr char kRasStatus[] = "VERBOSE STATUS\n";
constexpr auto kRasAnswer = std::chrono::seconds(25);
constexpr size_t kRasLine = 4096;

// Words and waits until `deadline`.
class RasConnection {
 public:
  RasConnection() = default;
  ~RasConnection() {
    if (fd_ >= 0) ::close(fd_);
  }
  RasConnection(const RasConnection&) = delete;
  RasConnection& operator=(const RasConnection&) = delete;

  // Empty when it is open, else why not, of the last address that was tried. The time is for all addresses together;
  // the look-up of the name has none.
  std::string Open(const std::string& host, const std::string& port, Clock::time_point deadline) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0) {
      return ::gai_strerror(error);
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
    std::string why = "no address";
    for (const addrinfo* a = found; a != nullptr; a = a->ai_next) {
      fd_ = ::socket(a->ai_family, a->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, a->ai_protocol);
      if (fd_ < 0) {
        why = std::strerror(errno);
        continue;
      }
      int error = ::connect(fd_, a->ai_addr, a->ai_addrlen) == 0 ? 0 : errno;
      // Not there at once: wait until it can be written to, then ask what became of it.
      if (error == EINPROGRESS) {
        error = ETIMEDOUT;
        socklen_t size = sizeof error;
        if (Wait(POLLOUT, deadline)) ::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
      }
      if (error == 0) return {};
      why = std::strerror(error);
      ::close(std::exchange(fd_, -1));
    }
    return why;
  }

  // False when the other side has gone, or at the deadline.
  bool Send(std::string_view words, Clock::time_point deadline) {
    while (!words.empty()) {
      if (!Wait(POLLOUT, deadline)) return false;
      const ssize_t sent = ::send(fd_, words.data(), words.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EINTR && errno != EAGAIN) return false;
      if (sent > 0) words.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }

  // kNothing: the deadline, or an error.
  enum class Got { kBytes, kEnd, kNothing };
  Got Receive(std::string* bytes, Clock::time_point deadline) {
    char buffer[kRasLine];
    while (Wait(POLLIN, deadline)) {
      const ssize_t got = ::recv(fd_, buffer, sizeof buffer, 0);
      if (got == 0) return Got::kEnd;
      if (got > 0) {
        bytes->append(buffer, static_cast<size_t>(got));
        return Got::kBytes;
      }
      if (errno != EINTR && errno != EAGAIN) return Got::kNothing;
    }
    return Got::kNothing;
  }

  // An answer in one line, without its end.
  std::string Line(Clock::time_point deadline) {
    std::string line;
    // A line that does not end is no greeting of RAS: 4 KiB of it are enough to know.
    while (line.find('\n') == std::string::npos && line.size() < kRasLine) {
      if (Receive(&line, deadline) != Got::kBytes) break;
    }
    return line.substr(0, line.find('\n'));
  }

 private:
  bool Wait(short events, Clock::time_point deadline) const {
    for (;;) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      if (left <= 0) return false;
      pollfd one{fd_, events, 0};
      const int ready = ::poll(&one, 1, static_cast<int>(left));
      if (ready > 0) return true;
      if (ready == 0 || errno != EINTR) return false;
    }
  }

  int fd_ = -1;
};

// "node1:28028", "[::1]:28028", "node1", ":28028"
std::pair<std::string, std::string> HostAndPort(std::string_view address) {
  std::string_view host = address, port;
  if (address.starts_with("[")) {
    // An address of version 6 has colons of its own and stands in brackets.
    host = address.substr(1, address.find(']') - 1);
    const size_t behind = address.find("]:");
    if (behind != std::string_view::npos) port = address.substr(behind + 2);
  } else if (const size_t colon = address.rfind(':'); colon != std::string_view::npos && colon == address.find(':')) {
    // With several it is an address of version 6 without a port: fe80::1
    host = address.substr(0, colon);
    port = address.substr(colon + 1);
  }
  return {host.empty() ? "localhost" : std::string(host), port.empty() ? kRasPort : std::string(port)};
}

}  // namespace

std::string_view RasAddress(std::string_view log) {
  if (!log.starts_with(kRasScheme)) return {};
  log.remove_prefix(kRasScheme.size());
  while (log.ends_with('/')) log.remove_suffix(1);
  return log.empty() ? std::string_view("localhost") : log;
}

Result<std::string> AskRas(std::string_view address, std::string* problem) {
  const std::string name = std::string(kRasScheme) + std::string(address);
  const auto [host, port] = HostAndPort(address);
  RasConnection connection;
  // One time for the connection and the greetings, another one for the status, for which RAS asks all ranks.
  const auto soon = Clock::now() + kRasConnect;
  if (const std::string why = connection.Open(host, port, soon); !why.empty()) {
    return Status::Io(name + ": cannot be asked: " + why + " (is the job running, and NCCL_RAS_ENABLE not 0?)");
  }
  const auto no_ras = [&] { return Status::Io(name + ": what answers there is not NCCL's RAS"); };
  // What version it speaks does not matter: STATUS is in all of them.
  if (!connection.Send(kRasHello, soon) || !connection.Line(soon).starts_with("SERVER PROTOCOL ")) return no_ras();
  // TIMEOUT is how long RAS waits for ranks: hanging ones are what is asked about.
  if (!connection.Send(kRasPatience, soon) || connection.Line(soon) != "OK") return no_ras();
  if (!connection.Send(kRasStatus, soon)) return no_ras();
  std::string status;
  const auto deadline = Clock::now() + kRasAnswer;
  for (;;) {
    const RasConnection::Got got = connection.Receive(&status, deadline);
    if (got == RasConnection::Got::kEnd) break;
    // What came is handed back: of a thousand ranks the first ones are better than none.
    if (got == RasConnection::Got::kNothing || status.size() > limits::kDocumentBytes) {
      *problem = name + ": its answer broke off";
      break;
    }
  }
  if (status.empty()) return Status::Io(name + ": it gave no status");
  return status;
}

}  // namespace ncclwhy

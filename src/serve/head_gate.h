// HeadGate: connections wait here, without a thread of their own, until the head of their request is there.
//
// Who is slow, or never says what he wants, costs a file descriptor and nothing else. After kHeadSeconds he gets a 408
// and is gone, however many bytes he has dripped; of more than kWaiting the one that waited longest goes at once.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>

namespace ncclwhy {

// Without it a client that sends a byte a second holds a thread (slowloris), and some dozens hold them all.
class HeadGate {
 public:
  // A head is one packet; this is for a network that loses some.
  static constexpr auto kHeadSeconds = std::chrono::seconds(10);
  static constexpr size_t kWaiting = 512;
  // httplib refuses a longer line or header by itself.
  // A head that is longer counts as whole, and goes on.
  static constexpr size_t kHeadBytes = 16 * 1024;

  // `ready` takes the socket over, with the beginning of the request, which is still to be read from it. It is called
  // in the gate's thread and must not block.
  // Throws std::system_error where the system has no descriptor or thread. `head` is valid during the call only.
  explicit HeadGate(std::function<void(int socket, std::string_view head)> ready);
  // Closes those that wait.
  // No socket is handed over any more once it returns.
  ~HeadGate();
  HeadGate(const HeadGate&) = delete;
  HeadGate& operator=(const HeadGate&) = delete;

  // Takes the socket over. From any thread.
  void Add(int socket);

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    int socket;
    Clock::time_point until;
  };

  // The gate's thread.
  void Run();
  // Whether the head is whole now; it is looked at, not read.
  // Hands it over then.
  void Look(int socket, bool closing);
  // Turns those away whose time is over.
  void Expire();
  // Takes a socket out of the gate, with the lock held; whoever asked for it owns the socket.
  void Forget(int socket);

  const std::function<void(int, std::string_view)> ready_;
  int epoll_ = -1;
  int wake_ = -1;  // eventfd: the end
  std::mutex mutex_;
  // Guarded by mutex_, as is places_: by socket, where it stands in the list.
  std::list<Waiting> waiting_;  // in the order of their end
  std::map<int, std::list<Waiting>::iterator> places_;
  std::thread thread_;
};

// A short answer to who is not let in, and the end of the connection.
//    HTTP/1.1 503 Service Unavailable … {"error":{"status":503,"code":"busy","message":"too many connections wait"}}
// `status_line` begins with the number; neither text may need escaping in JSON. Closes the socket; never waits.
void TurnAway(int socket, std::string_view status_line, std::string_view code, std::string_view sentence);

}  // namespace ncclwhy

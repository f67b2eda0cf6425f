// Server: analyses logs that come over HTTP. A page at /, POST /analyze, GET /health, /metrics, /openapi.json.
//
// Everything a client sends is untrusted: sizes, times and the number of requests are bounded, names are labels, and no
// request makes the server open a file. It has no encryption. Without a token whoever reaches the address may use it;
// with one everything but the page, /health and /openapi.json asks for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ncclwhy/analyzer.h"
#include "ncclwhy/status.h"
#include "serve/listen_address.h"

namespace ncclwhy {

// Of the command line of `ncclwhy serve`. Not checked here: the command refuses what makes no sense.
struct ServerOptions {
  ListenAddress address;
  AnalyzerOptions analyzer;         // knowledge and rules; the rest comes from requests
  uint64_t max_bytes = 1ull << 30;  // of one log, after decompression
  // Its upload included.
  int timeout_seconds = 60;        // for one request, from its head to its report
  int workers = 0;                 // logs that are analysed at a time; 0: one a processor
  std::string token;               // that clients must show; empty: none
  std::vector<std::string> names;  // under which clients may ask, see Access
  std::string history;             // a file whose figures /metrics tells, too; empty: none
  // 503 with Retry-After.
  int queue = 64;  // requests that may wait for a worker; more are refused
  std::function<void(const std::string&)>
      log;  // one line a request; may be empty. Called by several threads at a time.
};

// Run blocks its thread; everything else happens in threads of its own. Reports are the same as the command's: one
// Analyzer for each request, and nothing is kept between two.
class Server {
 public:
  // Takes the address; fails when it cannot be had, or when knowledge or rules cannot be used.
  // kIo: the address is taken or is none of this machine.
  static Result<std::unique_ptr<Server>> Create(ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // With the port that was found when 0 was asked for.
  // Known once Create has returned, before Run.
  const ListenAddress& address() const;

  // Serves until Stop. Requests that were begun are answered before it returns.
  // Once. kIo where no thread can be had or the socket fails.
  Status Run();
  // From any thread, once Run was called or will be; not from a signal handler.
  void Stop();

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ncclwhy

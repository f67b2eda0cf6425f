// Metrics: counters of a server in the text format of Prometheus (version 0.0.4).
//
// Thread-safe. The number of lines is bounded: status codes, verdicts and cause ids are.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace ncclwhy {

// Totals since the start; a restart begins at 0, which Prometheus expects of counters. Nothing of a log's text is in
// here.
class Metrics {
 public:
  using Clock = std::chrono::steady_clock;

  // One response, whatever it was. `path` is counted by name when it is one of the server's, else as "other".
  // Paths that somebody tries out (`/wp-admin`) must not make a line each.
  void CountResponse(const std::string& path, int http_status);
  // One report.
  // `cause` is empty where none is named. `took`: from the head of the request to its report, the upload included.
  void CountReport(const std::string& verdict, const std::string& cause, uint64_t bytes, Clock::duration took);

  // All of it, with what the server's pool says of itself.
  // Locks: consistent in itself.
  std::string Text(size_t running, size_t waiting) const;

 private:
  // Upper bounds in seconds; one more bucket without.
  static constexpr std::array<double, 8> kBounds = {0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30};

  mutable std::mutex mutex_;
  // By path and status.
  std::map<std::pair<std::string, int>, uint64_t> responses_;
  std::map<std::string, uint64_t> verdicts_;
  std::map<std::string, uint64_t> causes_;
  std::array<uint64_t, kBounds.size() + 1> durations_{};
  double seconds_ = 0;
  uint64_t bytes_ = 0;
  const Clock::time_point started_ = Clock::now();
};

}  // namespace ncclwhy

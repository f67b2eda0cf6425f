// LogJob: one request's log from its bytes to the report. A thread of the pool runs it, that of the connection waits.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "ncclwhy/analyzer.h"
#include "serve/log_request.h"
#include "serve/upload.h"

namespace ncclwhy {

// What a client gets.
// All texts are owned: they outlive report, analyzer and log.
struct LogAnswer {
  // 413 too large or a bomb, 422 unreadable or no such job, 400 empty, 503 cancelled, 504 too late, 500 a failure here.
  int http_status = 200;
  std::string body;     // the report, when http_status is 200
  std::string problem;  // a sentence, when it is not
  std::string verdict;  // healthy, failure …; of a report
  std::string outcome;  // succeeded, failed …; of a report
  std::string cause;    // id of the cause that is named
  uint64_t bytes = 0;   // of the log, after decompression
};

// Shared (shared_ptr) by the connection and the pool. Where the deadline comes first the connection goes on, and the
// job ends by itself at its next chunk.
class LogJob {
 public:
  // `options`: knowledge and rules; language, top and redaction come from the request.
  // `max_bytes` counts the log after decompression. `deadline` is the request's, from its head on. `upload`: all of it
  // is there.
  LogJob(LogRequest request, AnalyzerOptions options, uint64_t max_bytes, Deadline deadline,
         std::shared_ptr<Upload> upload)
      : request_(std::move(request)),
        options_(std::move(options)),
        max_bytes_(max_bytes),
        deadline_(deadline),
        upload_(std::move(upload)) {}

  // Nothing when the deadline comes first; Run goes on alone then.
  // To be called once: the answer is moved out.
  std::optional<LogAnswer> Wait();

  // The analysing side; does not throw.
  void Run();

 private:
  class Sink;
  // What Run would answer; may throw.
  LogAnswer Analyse();

  const LogRequest request_;
  AnalyzerOptions options_;
  const uint64_t max_bytes_;
  const Deadline deadline_;
  const std::shared_ptr<Upload> upload_;
  // Set where nobody waits any more, looked at between chunks.
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::condition_variable done_;
  // Guarded by mutex_.
  std::optional<LogAnswer> answer_;
};

}  // namespace ncclwhy

// LogJob: one request's log from its bytes to the report. Two threads work on it: the one that receives the body feeds
// it, one of the pool runs it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "ncclwhy/analyzer.h"
#include "serve/body_pipe.h"
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
  // `max_bytes` counts the log after decompression. `deadline` is the request's, from its head on.
  LogJob(LogRequest request, AnalyzerOptions options, uint64_t max_bytes, Deadline deadline)
      : request_(std::move(request)), options_(std::move(options)), max_bytes_(max_bytes), deadline_(deadline) {}

  // Before both sides start: the body comes by Feed, or it has come.
  Status Open() { return body_.Open(); }
  // In its place: the files of a form. Called before Run.
  void Use(std::shared_ptr<Upload> upload) { upload_ = std::move(upload); }

  // The receiving side.
  // By one thread. What it says of the reader is not the answer: that is Wait's.
  BodyPipe::Sent Feed(std::string_view bytes) { return body_.Write(bytes, deadline_); }
  void EndOfBody() { body_.CloseWriter(); }
  // The client went away: nobody waits for an answer.
  void Cancel();
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
  BodyPipe body_;
  std::shared_ptr<Upload> upload_;  // instead of body_
  // Set by either side, looked at between chunks.
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::condition_variable done_;
  // Guarded by mutex_.
  std::optional<LogAnswer> answer_;
};

}  // namespace ncclwhy

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
struct LogAnswer {
  int http_status = 200;
  std::string body;     // the report, when http_status is 200
  std::string problem;  // a sentence, when it is not
  std::string verdict;  // healthy, failure …; of a report
  std::string outcome;  // succeeded, failed …; of a report
  std::string cause;    // id of the cause that is named
  uint64_t bytes = 0;   // of the log, after decompression
};

class LogJob {
 public:
  // `options`: knowledge and rules; language, top and redaction come from the request.
  LogJob(LogRequest request, AnalyzerOptions options, uint64_t max_bytes, Deadline deadline)
      : request_(std::move(request)), options_(std::move(options)), max_bytes_(max_bytes), deadline_(deadline) {}

  // Before both sides start: the body comes by Feed, or it has come.
  Status Open() { return body_.Open(); }
  void Use(std::shared_ptr<Upload> upload) { upload_ = std::move(upload); }

  // The receiving side.
  BodyPipe::Sent Feed(std::string_view bytes) { return body_.Write(bytes, deadline_); }
  void EndOfBody() { body_.CloseWriter(); }
  // The client went away: nobody waits for an answer.
  void Cancel();
  // Nothing when the deadline comes first; Run goes on alone then.
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
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::condition_variable done_;
  std::optional<LogAnswer> answer_;
};

}  // namespace ncclwhy

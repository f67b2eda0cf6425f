#include "serve/log_job.h"

#include <exception>
#include <utility>

#include "analyze/answer_names.h"
#include "read/source.h"
#include "report/phrases.h"

namespace ncclwhy {
namespace {

LogAnswer Problem(int http_status, std::string sentence) {
  LogAnswer answer;
  answer.http_status = http_status;
  answer.problem = std::move(sentence);
  return answer;
}

}  // namespace

// Gives members of the body to the analyzer, until one of the limits is met.
// Looked at for each chunk, so that a bomb or a slow log costs at most one chunk beyond its limit.
class LogJob::Sink : public ByteSink {
 public:
  Sink(LogJob* job, Analyzer* analyzer) : job_(job), analyzer_(analyzer) {}

  bool Begin(std::string_view name) override { return Keep(analyzer_->Begin(name)); }
  // Bytes after decompression: a small body can hold a large log.
  void Push(std::string_view chunk) override {
    bytes_ += chunk.size();
    if (bytes_ > job_->max_bytes_) {
      too_large_ = true;
    } else if (std::chrono::steady_clock::now() > job_->deadline_) {
      too_late_ = true;
    } else {
      Keep(analyzer_->Push(chunk));
    }
  }
  void End() override { Keep(analyzer_->EndSource()); }
  bool WantsMore() override { return !too_large_ && !too_late_ && !job_->cancelled_ && status_.ok(); }

  uint64_t bytes() const { return bytes_; }
  bool too_large() const { return too_large_; }
  bool too_late() const { return too_late_; }
  const Status& status() const { return status_; }

 private:
  bool Keep(Status status) {
    if (!status.ok() && status_.ok()) status_ = std::move(status);
    return status_.ok();
  }

  LogJob* job_;
  Analyzer* analyzer_;
  Status status_;
  uint64_t bytes_ = 0;
  bool too_large_ = false;
  bool too_late_ = false;
};

// Nothing when the time is over. The worker goes on until it notices, and its answer is then nobody's.
std::optional<LogAnswer> LogJob::Wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  done_.wait_until(lock, deadline_, [this] { return answer_.has_value(); });
  if (!answer_) cancelled_ = true;
  return std::move(answer_);
}

void LogJob::Run() {
  LogAnswer answer;
  try {
    answer = Analyse();
  } catch (const std::exception& e) {
    // An exception beyond this point would end the server with all its other requests.
    answer = Problem(500, e.what());
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  answer_ = std::move(answer);
  done_.notify_all();
}

LogAnswer LogJob::Analyse() {
  // It may have waited in the queue until its client was gone.
  if (cancelled_) return Problem(503, "the request was cancelled");
  options_.language = request_.language;
  options_.top = request_.top;
  options_.redact = request_.redact;
  options_.job = request_.job;
  options_.attempt = request_.attempt;
  // One thread for a request: the pool has as many workers as there are processors, and one client must not take them
  // all.
  options_.jobs = 1;
  Result<std::unique_ptr<Analyzer>> analyzer = Analyzer::Create(options_);
  if (!analyzer.ok()) return Problem(500, analyzer.status().message());

  Sink sink(this, analyzer.value().get());
  // An archive that ends early is read as far as it goes: the first problem is kept, what could be read is analysed.
  Status read;
  for (const UploadedLog& log : upload_->Logs()) {
    Status one = ReadDescriptor(log.descriptor, log.name, sink);
    if (!one.ok() && read.ok()) read = std::move(one);
  }
  if (cancelled_) return Problem(503, "the request was cancelled");
  if (sink.too_large() || read.code() == ErrorCode::kLimit) {
    return Problem(413, "the log is larger than " + std::to_string(max_bytes_) +
                            " bytes after decompression, or a decompression bomb; send the part around the failure");
  }
  if (sink.too_late()) return Problem(504, "the time limit was reached while the log was read");
  if (!sink.status().ok()) return Problem(500, sink.status().message());
  // An empty body is the client's mistake (400); one that cannot be unpacked is no log (422).
  if (sink.bytes() == 0) {
    return Problem(read.ok() ? 400 : 422, read.ok() ? "the body holds no log: it is empty" : read.message());
  }

  // Part of it could be read: the report says so, and is worth having.
  if (!read.ok()) (void)analyzer.value()->AddProblem(read.message());
  Result<Report> report = analyzer.value()->Finish();
  // There is no job or attempt of that number.
  const bool asked = report.status().code() == ErrorCode::kInvalidArgument;
  if (!report.ok()) return Problem(asked ? 422 : 500, report.status().message());
  ReportFormat format;
  format.language = request_.language;
  Result<std::string> text = RenderReport(report.value(), request_.format, format);
  if (!text.ok()) return Problem(500, text.status().message());

  LogAnswer answer;
  answer.body = text.take();
  answer.verdict = VerdictName(report.value().verdict);
  answer.outcome = OutcomeName(report.value().outcome);
  if (const Cause* cause = NamedCause(report.value())) answer.cause = cause->id;
  answer.bytes = sink.bytes();
  return answer;
}

}  // namespace ncclwhy

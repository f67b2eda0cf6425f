// The borders of the C++ library: options are checked, nothing is thrown. The work is in job_analysis.h.
#include "ncclwhy/analyzer.h"

#include <string>
#include <utility>

#include "api/job_analysis.h"
#include "api/no_throw.h"
#include "report/renderer.h"

namespace ncclwhy {
namespace {

// Before anything is read: who has a wrong option learns it at once and not after hours of logs.
Status Check(const AnalyzerOptions& options) {
  if (options.top < 1) return Status::InvalidArgument("at least one cause must be asked for (top)");
  if (options.seen < 0 || options.seen > 3)
    return Status::InvalidArgument("of public incidents 0 to 3 are shown (seen)");
  if (options.jobs < 0) return Status::InvalidArgument("the number of threads (jobs) is negative");
  if (options.jobs > kMostThreads) {
    return Status::InvalidArgument("there are at most " + std::to_string(kMostThreads) + " threads (jobs)");
  }
  if (options.job < 0 || options.attempt < 0) return Status::InvalidArgument("jobs and attempts are counted from 1");
  // A path with a NUL would open another file than the one that was named.
  // To the system the path would end there.
  if (options.database.find('\0') != std::string::npos)
    return Status::InvalidArgument("database: a NUL byte in a path");
  if (options.redact && !options.database.empty()) {
    return Status::InvalidArgument("redact and database exclude each other: the timeline holds the names as logged");
  }
  return {};
}

}  // namespace

class Analyzer::Impl {
 public:
  Impl(AnalyzerOptions options, Knowledge knowledge)
      : options_(std::move(options)), knowledge_(std::move(knowledge)), job_(knowledge_, options_) {}

  // Runs one call. An exception (no memory) leaves half a line behind: what follows is refused, not computed from it.
  template <typename Call>
  auto Run(const Call& call) noexcept -> decltype(call(std::declval<JobAnalysis&>())) {
    return NoThrow([&]() -> decltype(call(job_)) {
      // The order of the two is what a caller sees: behind a defect nothing else is said any more.
      if (broken_) return Status::Internal("an earlier call failed: this analyzer can only be destroyed");
      if (finished_) return Status::InvalidArgument("the report was already made");
      broken_ = true;
      auto result = call(job_);
      broken_ = false;
      return result;
    });
  }

  Result<Report> Finish() noexcept {
    Result<Report> report = Run([](JobAnalysis& job) {
      job.Read();
      return job.MakeReport();
    });
    // Also where it failed: problems and digests are used up.
    finished_ = true;
    return report;
  }

 private:
  const AnalyzerOptions options_;
  const Knowledge knowledge_;
  JobAnalysis job_;
  bool finished_ = false;
  bool broken_ = false;
};

Analyzer::Analyzer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Analyzer::~Analyzer() = default;

Result<std::unique_ptr<Analyzer>> Analyzer::Create(AnalyzerOptions options) {
  return NoThrow([&]() -> Result<std::unique_ptr<Analyzer>> {
    if (Status status = Check(options); !status.ok()) return status;
    Result<Knowledge> knowledge = Knowledge::Load(options);
    if (!knowledge.ok()) return knowledge.status();
    auto impl = std::make_unique<Impl>(std::move(options), knowledge.take());
    return std::unique_ptr<Analyzer>(new Analyzer(std::move(impl)));
  });
}

Status Analyzer::AddArguments(const std::vector<std::string>& arguments) {
  return impl_->Run([&](JobAnalysis& job) {
    job.AddArguments(arguments);
    return Status();
  });
}
Status Analyzer::AddFile(const std::string& path) {
  return impl_->Run([&](JobAnalysis& job) {
    job.AddArguments({path});
    return Status();
  });
}
Status Analyzer::Begin(std::string_view name) {
  return impl_->Run([&](JobAnalysis& job) { return job.Begin(name); });
}
Status Analyzer::Push(std::string_view bytes) {
  return impl_->Run([&](JobAnalysis& job) { return job.Push(bytes); });
}
Status Analyzer::EndSource() {
  return impl_->Run([](JobAnalysis& job) { return job.EndSource(); });
}
Status Analyzer::Append(std::string_view name, std::string_view bytes) {
  return impl_->Run([&](JobAnalysis& job) { return job.Append(name, bytes); });
}
Status Analyzer::AddProblem(std::string sentence) {
  return impl_->Run([&](JobAnalysis& job) {
    job.AddProblem(std::move(sentence));
    return Status();
  });
}
Result<Report> Analyzer::Finish() { return impl_->Finish(); }

Result<std::string> RenderReport(const Report& report, std::string_view format, const ReportFormat& options) {
  return NoThrow([&]() -> Result<std::string> {
    const Format* known = FindFormat(format);
    if (known == nullptr) return Status::InvalidArgument("there is no format '" + std::string(format) + "'");
    // The color is the caller's choice: a library does not ask whether its output is a terminal.
    return known->render(report,
                         RenderOptions{options.language, options.width, options.color, options.link, options.command});
  });
}

}  // namespace ncclwhy

#include "ncclwhy/diff.h"

#include <utility>

#include "analyze/job_diff.h"
#include "api/job_analysis.h"
#include "api/no_throw.h"
#include "report/renderer.h"

namespace ncclwhy {
namespace {

Result<ComparedRun> ReadRun(const std::string& name, const Knowledge& knowledge, const AnalyzerOptions& options) {
  JobAnalysis job(knowledge, options);
  job.AddArguments({name});
  job.Read();
  JobProfile profile = job.Profile();
  Result<Report> report = job.MakeReport();
  if (!report.ok()) return report.status();
  return ComparedRun{name, std::move(profile), report.take()};
}

}  // namespace

Result<JobDiff> Diff(const std::string& good, const std::string& bad, const AnalyzerOptions& options) {
  return NoThrow([&]() -> Result<JobDiff> {
    // `-` can be read once.
    if (good == "-" && bad == "-") return Status::InvalidArgument("only one of the runs can be standard input");
    if (options.redact || !options.database.empty()) {
      return Status::InvalidArgument("redact and database have no meaning for a comparison");
    }
    const Result<Knowledge> knowledge = Knowledge::Load(options);
    if (!knowledge.ok()) return knowledge.status();
    const Result<ComparedRun> one = ReadRun(good, knowledge.value(), options);
    if (!one.ok()) return one.status();
    const Result<ComparedRun> other = ReadRun(bad, knowledge.value(), options);
    if (!other.ok()) return other.status();
    // Both runs are judged by one knowledge, else a difference of rules would look like one of runs.
    return DiffJobs(one.value(), other.value(), knowledge.value().kb(), options.language);
  });
}

Result<std::string> RenderDiff(const JobDiff& diff, std::string_view format, const ReportFormat& options) {
  return NoThrow([&]() -> Result<std::string> {
    const RenderOptions render{options.language, options.width, options.color};
    if (format == "text") return RenderDiffText(diff, render);
    if (format == "json") return RenderDiffJson(diff, render);
    return Status::InvalidArgument("there is no format '" + std::string(format) + "' of comparisons");
  });
}

}  // namespace ncclwhy

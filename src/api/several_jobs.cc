// JobAnalysis, its second half: the report, of one job or of several.
#include <algorithm>
#include <string>
#include <utility>

#include "analyze/analyzer.h"
#include "analyze/job_summary.h"
#include "api/job_analysis.h"
#include "ncclwhy/exit_status.h"
#include "read/digest_slice.h"
#include "report/phrases.h"
#include "report/redact.h"
#include "store/store.h"

namespace ncclwhy {
namespace {

// What lines say of lives and alarms, as far as it is known before the job is.
std::vector<std::vector<Mark>> MarksOf(const std::vector<SourceDigest>& digests, const RuleSet& rules) {
  std::vector<std::vector<Mark>> marks(digests.size());
  for (size_t s = 0; s < digests.size(); ++s) {
    for (const Hit& hit : digests[s].hits.hits) {
      const Rule* const rule = rules.RuleOf(hit);
      if (rule == nullptr) continue;
      const bool alarm = rule->role == Role::kRoot || rule->role == Role::kSymptom || rule->role == Role::kSecondary;
      if (rule->sign.life != Life::kNone || alarm) {
        marks[s].push_back({hit.line, rule->sign.life, rule->sign.of != SignOf::kSelf});
      }
    }
    std::stable_sort(marks[s].begin(), marks[s].end(), [](const Mark& a, const Mark& b) { return a.line < b.line; });
  }
  return marks;
}

std::vector<SourceDigest> DigestsOf(const JobPart& part, const std::vector<SourceDigest>& all) {
  std::vector<SourceDigest> out;
  for (const Span& span : part.spans) out.push_back(SliceOf(all[span.source.value], span.first, span.last));
  return out;
}

JobAnswer AnswerOf(const JobPart& part, const std::vector<SourceDigest>& digests, const Report& report) {
  JobAnswer answer;
  answer.name = part.name;
  answer.outcome = report.outcome;
  answer.verdict = report.verdict;
  if (const Cause* cause = NamedCause(report)) {
    answer.cause = cause->id;
    answer.title = cause->title;
    answer.culprits = cause->culprits;
  } else if (!report.causes.empty() && report.verdict == Verdict::kDegraded) {
    answer.cause = report.causes.front().id;
    answer.title = report.causes.front().title;
  }
  for (const Span& span : part.spans) answer.files.push_back(digests[span.source.value].facts.name);
  answer.exit_status = ExitStatus(report);
  return answer;
}

int Badness(const JobAnswer& answer) {
  switch (answer.verdict) {
    case Verdict::kFailure:
      return 4;
    case Verdict::kUndetermined:
      return 3;
    case Verdict::kDegraded:
      return 2;
    case Verdict::kHealthy:
      return 1;
    case Verdict::kNoNccl:
      break;
  }
  return 0;
}

Status NoSuch(const char* what, int number, size_t known) {
  return Status::InvalidArgument("there is no " + std::string(what) + " " + std::to_string(number) + ": the logs hold " +
                                 std::to_string(std::max<size_t>(known, 1)));
}

}  // namespace

Result<Report> JobAnalysis::ReportOf(const JobModel& model, const std::vector<SourceDigest>& digests,
                                     const std::string& database, std::vector<std::string> problems) {
  Result<std::unique_ptr<Timeline>> timeline = OpenTimeline(database);
  if (!timeline.ok() && !database.empty()) {
    problems.push_back(timeline.status().message());
    std::sort(problems.begin(), problems.end());
    timeline = OpenTimeline("");
  }
  if (!timeline.ok()) return timeline.status();
  const AnalyzeOptions analysis{options_.language, options_.top};
  return Analyze(model, digests, knowledge_.rules(), knowledge_.kb(), *timeline.value(), analysis, std::move(problems));
}

Result<Report> JobAnalysis::ReportOfPart(const JobPart& part, const std::string& database) {
  const std::vector<SourceDigest> digests = DigestsOf(part, digests_);
  return ReportOf(ModelOf(digests), digests, database, {});
}

// The worst first, and of equally bad ones the one that begins first. Only the worst one's report is kept meanwhile.
Result<Report> JobAnalysis::ReportOfSeveral(const std::vector<JobPart>& parts) {
  std::vector<std::pair<JobAnswer, size_t>> answers;
  Report worst;
  int badness = -1;
  for (size_t n = 0; n < parts.size(); ++n) {
    Result<Report> report = ReportOfPart(parts[n], "");
    if (!report.ok()) return report.status();
    answers.emplace_back(AnswerOf(parts[n], digests_, report.value()), n);
    if (Badness(answers.back().first) <= badness) continue;
    badness = Badness(answers.back().first);
    worst = report.take();
  }
  std::stable_sort(answers.begin(), answers.end(),
                   [](const auto& a, const auto& b) { return Badness(a.first) > Badness(b.first); });
  const auto chosen = static_cast<size_t>(std::max(options_.job, 1) - 1);
  if (chosen >= answers.size()) return NoSuch("job", options_.job, answers.size());
  if (chosen > 0 || !options_.database.empty()) {
    Result<Report> report = ReportOfPart(parts[answers[chosen].second], options_.database);
    if (!report.ok()) return report.status();
    worst = report.take();
  }
  if (options_.job > 0) return worst;
  for (auto& [answer, part] : answers) worst.jobs.push_back(std::move(answer));
  return worst;
}

Result<Report> JobAnalysis::MakeReport() {
  const JobModel model = ModelOf(digests_);
  const std::vector<JobPart> parts = SeparateJobs(model, MarksOf(digests_, knowledge_.rules()));
  if (parts.empty() && options_.job > 1) return NoSuch("job", options_.job, parts.size());
  Result<Report> made = parts.empty() ? ReportOf(model, digests_, options_.database, std::move(problems_))
                                      : ReportOfSeveral(parts);
  if (!made.ok()) return made;
  Report report = made.take();
  if (!parts.empty()) report.problems.insert(report.problems.begin(), problems_.begin(), problems_.end());
  // All that was read, whatever job it is of.
  if (!report.jobs.empty()) {
    Coverage all = SummariseCoverage(model);
    all.notes.merge(report.coverage.notes);
    report.coverage = std::move(all);
  }
  return options_.redact ? Redact(std::move(report)) : std::move(report);
}

}  // namespace ncclwhy

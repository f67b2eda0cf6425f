// JobAnalysis, its second half: the report, of one job or of several.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "analyze/analyzer.h"
#include "analyze/completeness.h"
#include "analyze/job_summary.h"
#include "api/job_analysis.h"
#include "api/part_places.h"
#include "job/attempt_files.h"
#include "ncclwhy/exit_status.h"
#include "read/digest_slice.h"
#include "report/phrases.h"
#include "report/redact.h"
#include "store/store.h"

namespace ncclwhy {
namespace {

// Only hits of rules: the catalogue's messages are asked when the job is known. Last resorts fit to too much to be a
// border between jobs.
// What lines say of lives and alarms, as far as it is known before the job is.
std::vector<std::vector<Mark>> MarksOf(const std::vector<SourceDigest>& digests, const RuleSet& rules) {
  std::vector<std::vector<Mark>> marks(digests.size());
  for (size_t s = 0; s < digests.size(); ++s) {
    for (const Hit& hit : digests[s].hits.hits) {
      const Rule* const rule = rules.RuleOf(hit);
      if (rule == nullptr) continue;
      const bool alarm = !rule->last_resort &&
                         (rule->role == Role::kRoot || rule->role == Role::kSymptom || rule->role == Role::kSecondary);
      if (rule->sign.life != Life::kNone || alarm) {
        marks[s].push_back(
            {hit.line, rule->sign.life, rule->sign.of != SignOf::kSelf, rule->sign.how, rule->sign.suite});
      }
    }
    std::stable_sort(marks[s].begin(), marks[s].end(), [](const Mark& a, const Mark& b) { return a.line < b.line; });
  }
  return marks;
}

// The lines of one job out of all digests, with the numbers that they have in their files.
std::vector<SourceDigest> DigestsOf(const JobPart& part, const std::vector<SourceDigest>& all) {
  std::vector<SourceDigest> out;
  // A line number of a report is that of the file, whatever job the line is of.
  for (const Span& span : part.spans) out.push_back(SliceOf(all[span.source.value], span.first, span.last));
  return out;
}

// The row of one job in a report on several.
JobAnswer AnswerOf(const JobPart& part, const std::vector<SourceDigest>& digests, const Report& report) {
  JobAnswer answer;
  answer.name = part.name;
  answer.outcome = report.outcome;
  answer.verdict = report.verdict;
  if (const Cause* cause = NamedCause(report)) {
    answer.cause = cause->id;
    answer.title = cause->title;
    answer.culprits = cause->culprits;
    // A job that only runs slowly names no cause of a failure: its first warning stands in the row.
  } else if (!report.causes.empty() && report.verdict == Verdict::kDegraded) {
    answer.cause = report.causes.front().id;
    answer.title = report.causes.front().title;
  }
  for (const Span& span : part.spans) answer.files.push_back(digests[span.source.value].facts.name);
  answer.exit_status = ExitStatus(report);
  return answer;
}

// Of an attempt in several files the lines of the one that is cut say where it stands; a file that is wholly its own
// has no border to tell.
Attempt AttemptOf(const JobPart& part, const JobModel& model, const Report& report) {
  Attempt attempt;
  attempt.outcome = report.outcome;
  // A file that is cut tells the most exactly where the attempt is.
  const auto cut = std::find_if(part.spans.begin(), part.spans.end(), [](const Span& span) { return !span.whole(); });
  const Span& span = cut == part.spans.end() ? part.spans.front() : *cut;
  const SourceFacts& source = *model.sources[span.source.value];
  if (part.spans.size() == 1 || cut != part.spans.end()) attempt.file = source.name;
  attempt.first_line = span.first;
  attempt.last_line = std::min<uint64_t>(span.last, source.counters.Get(Counter::kLines));
  if (const Cause* cause = NamedCause(report)) {
    attempt.cause = cause->id;
    attempt.sentence = cause->summary;
  } else if (!report.progress.empty()) {
    attempt.sentence = report.progress;
  } else if (!report.outcome_evidence.empty()) {
    attempt.sentence = report.outcome_evidence.front().text;
  }
  return attempt;
}

// Whether all that only the attempt has is the job's.
bool IsPartOf(const JobPart& attempt, const JobPart& job) {
  return std::all_of(attempt.spans.begin(), attempt.spans.end(), [&](const Span& a) {
    return std::any_of(job.spans.begin(), job.spans.end(),
                       [&](const Span& b) { return a.source == b.source && a.first >= b.first && a.last <= b.last; });
  });
}

// Whether no job has lines of two attempts: then what was taken for jobs are these.
bool Within(const std::vector<JobPart>& jobs, const std::vector<JobPart>& attempts) {
  std::map<SourceId, size_t> attempt_of;
  for (size_t n = 0; n + 1 < attempts.size(); ++n) {
    for (const Span& span : attempts[n].spans) attempt_of[span.source] = n;
  }
  return std::all_of(jobs.begin(), jobs.end(), [&](const JobPart& job) {
    std::set<size_t> of;
    for (const Span& span : job.spans) {
      const auto it = attempt_of.find(span.source);
      if (it != attempt_of.end()) of.insert(it->second);
    }
    return of.size() < 2;
  });
}

// Undetermined before degraded: something failed there, and nobody has said why.
// What a reader has to know first.
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

// Whether `later` begins behind `earlier` in the same file: one run after the other, as in a nohup.out that grows.
bool Follows(const JobPart& later, const JobPart& earlier) {
  return std::any_of(later.spans.begin(), later.spans.end(), [&](const Span& l) {
    return std::any_of(earlier.spans.begin(), earlier.spans.end(),
                       [&](const Span& e) { return l.source == e.source && l.first > e.last; });
  });
}

// A run that was stopped from outside has been made good by one behind it that succeeded.
bool MadeGood(const JobAnswer& answer, const JobPart& part, const JobAnswer& other, const JobPart& other_part) {
  return answer.cause.starts_with("stopped.") && other.outcome == Outcome::kSucceeded && Follows(other_part, part);
}

// What a reader has to know first; of equally bad ones last those of which no end is told, as of a few lines in front
// of a run.
// And of all these the one that says why it failed.
std::tuple<int, bool, bool> Order(const JobAnswer& answer, const KnowledgeBase& kb) {
  const bool reasonless =
      answer.verdict == Verdict::kFailure && (answer.cause.empty() || kb.TraitsOf(answer.cause).reasonless);
  return {-Badness(answer), answer.outcome == Outcome::kUnknown, reasonless};
}

// Sentence for --job or --attempt of a number that is not there.
Status NoSuch(const char* what, int number, size_t known) {
  return Status::InvalidArgument("there is no " + std::string(what) + " " + std::to_string(number) +
                                 ": the logs hold " + std::to_string(std::max<size_t>(known, 1)));
}

}  // namespace

// A database that cannot be written is a problem of the report, not the end of it.
Result<Report> JobAnalysis::ReportOf(const JobModel& model, const std::vector<SourceDigest>& digests,
                                     const std::string& database, std::vector<std::string> problems) {
  std::unique_ptr<Timeline> file;
  if (!database.empty()) {
    Result<std::unique_ptr<Timeline>> opened = OpenTimeline(database);
    if (opened.ok()) {
      file = opened.take();
    } else {
      problems.push_back(opened.status().message());
      std::sort(problems.begin(), problems.end());
    }
  }
  if (file == nullptr && timeline_ == nullptr) {
    Result<std::unique_ptr<Timeline>> opened = OpenTimeline("");
    if (!opened.ok()) return opened.status();
    timeline_ = opened.take();
    // One timeline for one job after the other: it is emptied and not made anew.
  }
  Timeline& timeline = file == nullptr ? *timeline_ : *file;
  const AnalyzeOptions analysis{options_.language, options_.top, options_.seen > 0 ? &knowledge_.incidents() : nullptr,
                                static_cast<size_t>(options_.seen)};
  return Analyze(model, digests, knowledge_.rules(), knowledge_.kb(), timeline, analysis, std::move(problems));
}

Result<Report> JobAnalysis::ReportOfPart(const JobPart& part, const std::string& database) {
  const std::vector<SourceDigest> digests = DigestsOf(part, digests_);
  return ReportOf(ModelOf(digests), digests, database, {});
}

// The worst first, and of equally bad ones the one that begins first. Only the worst one's report is kept meanwhile.
Result<Report> JobAnalysis::ReportOfSeveral(const JobModel& model, const std::vector<JobPart>& parts,
                                            const std::vector<JobPart>& attempts) {
  std::vector<std::pair<JobAnswer, size_t>> answers;
  std::vector<Attempt> told;  // by part
  Report worst;
  std::optional<std::tuple<int, bool, bool>> best;
  size_t kept = 0;  // the part whose report `worst` is
  for (size_t n = 0; n < parts.size(); ++n) {
    Result<Report> report = ReportOfPart(parts[n], "");
    if (!report.ok()) return report.status();
    answers.emplace_back(AnswerOf(parts[n], digests_, report.value()), n);
    told.push_back(AttemptOf(parts[n], model, report.value()));
    const auto order = Order(answers.back().first, knowledge_.kb());
    if (best && order >= *best) continue;
    best = order;
    // Strictly worse: of equals the first one stays, as in the order of the list below.
    worst = report.take();
    kept = n;
  }
  // What a later run made good is no job of its own but an earlier attempt at that one.
  const std::vector<std::pair<JobAnswer, size_t>> all = answers;
  std::map<size_t, std::vector<size_t>> before;  // part -> parts that it made good
  std::erase_if(answers, [&](const auto& of) {
    const auto by = std::find_if(all.begin(), all.end(), [&](const auto& other) {
      return MadeGood(of.first, parts[of.second], other.first, parts[other.second]);
    });
    if (by == all.end()) return false;
    before[by->second].push_back(of.second);
    return true;
  });
  std::stable_sort(answers.begin(), answers.end(), [&](const auto& a, const auto& b) {
    return Order(a.first, knowledge_.kb()) < Order(b.first, knowledge_.kb());
  });
  const auto chosen = static_cast<size_t>(std::max(options_.job, 1) - 1);
  if (chosen >= answers.size()) return NoSuch("job", options_.job, answers.size());
  const JobPart& job = parts[answers[chosen].second];
  if (options_.attempt > 0) {
    std::vector<const JobPart*> own;
    for (const size_t earlier : before[answers[chosen].second]) own.push_back(&parts[earlier]);
    const size_t made_good = own.size();
    for (const JobPart& attempt : attempts) {
      if (IsPartOf(attempt, job)) own.push_back(&attempt);
    }
    if (own.size() == made_good) own.push_back(&job);
    const auto number = static_cast<size_t>(options_.attempt - 1);
    if (number >= own.size()) return NoSuch("attempt", options_.attempt, own.size());
    return ReportOfPart(*own[number], options_.database);
  }
  // The worst one's report is at hand, unless its timeline is to be written as well.
  if (answers[chosen].second != kept || !options_.database.empty()) {
    Result<Report> report = ReportOfPart(job, options_.database);
    if (!report.ok()) return report.status();
    worst = report.take();
  }
  // `--job 2`: the report of that job alone, without the table of all.
  if (const auto made_good = before.find(answers[chosen].second); made_good != before.end()) {
    for (const size_t earlier : made_good->second) worst.attempts.push_back(std::move(told[earlier]));
    worst.attempts.push_back(std::move(told[answers[chosen].second]));
  }
  if (options_.job > 0 || answers.size() == 1) return worst;
  for (auto& [answer, part] : answers) worst.jobs.push_back(std::move(answer));
  return worst;
}

// The whole job is analysed as one, each attempt by itself; the last attempt is told as the whole knows it. With files
// of their own the last one is the job.
Result<Report> JobAnalysis::ReportOfAttempts(const JobModel& model, const std::vector<JobPart>& attempts, bool files) {
  if (options_.attempt > 0) {
    const auto chosen = static_cast<size_t>(options_.attempt - 1);
    if (chosen >= std::max<size_t>(attempts.size(), 1)) return NoSuch("attempt", options_.attempt, attempts.size());
    if (!attempts.empty()) return ReportOfPart(attempts[chosen], options_.database);
  }
  // Attempts share lines of launchers, and a culprit of one may be named in another: the whole sees all of them.
  Result<Report> whole = files ? ReportOfPart(attempts.back(), options_.database)
                               : ReportOf(model, digests_, options_.database, std::move(problems_));
  if (!files) problems_.clear();
  if (!whole.ok() || attempts.empty()) return whole;
  Report report = whole.take();
  std::vector<Attempt> told;
  for (const JobPart& part : attempts) {
    Result<Report> one = ReportOfPart(part, "");
    if (!one.ok()) return one;
    told.push_back(AttemptOf(part, model, one.value()));
  }
  // The last one decides, and of it the whole knows most.
  told.back().outcome = report.outcome;
  if (const Cause* cause = NamedCause(report)) told.back().cause = cause->id;
  report.attempts = std::move(told);
  return report;
}

// Several jobs, else attempts at one, else one. Places in parts of rotated logs and redaction come last, when all texts
// are there.
Result<Report> JobAnalysis::MakeReport() {
  const bool unread = !problems_.empty();
  const JobModel model = ModelOf(digests_);
  const std::vector<std::vector<Mark>> marks = MarksOf(digests_, knowledge_.rules());
  std::vector<JobPart> parts = SeparateJobs(model, marks);
  std::vector<JobPart> attempts = AttemptFiles(model, marks);
  const bool files = !attempts.empty() && Within(parts, attempts);
  if (files) parts.clear();
  if (parts.empty() && options_.job > 1) return NoSuch("job", options_.job, parts.size());
  // Attempts cost an analysis each: only where they are shown.
  if (!files) attempts.clear();
  if (!files && (parts.empty() || options_.attempt > 0)) attempts = SeparateJobs(model, marks, Apart::kAttempts);
  Result<Report> made =
      parts.empty() ? ReportOfAttempts(model, attempts, files) : ReportOfSeveral(model, parts, attempts);
  if (!made.ok()) return made;
  Report report = made.take();
  // A file that could not be read may hold the failure: `healthy` would be a promise.
  if (unread) BarHealthy(&report);
  report.problems.insert(report.problems.begin(), problems_.begin(), problems_.end());
  // All that was read, whatever job it is of.
  if ((files || !parts.empty()) && options_.job == 0 && options_.attempt == 0) {
    Coverage all = SummariseCoverage(model);
    all.notes.merge(report.coverage.notes);
    report.coverage = std::move(all);
  }
  NameParts(digests_, &report);
  return options_.redact ? Redact(std::move(report), options_.language, model.hosts) : std::move(report);
}

}  // namespace ncclwhy

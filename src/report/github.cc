// GitHub workflow commands, one line each:
//   ::error file=rank3.log,line=41,title=/dev/shm is too small (shm.too-small%2C 93%25 sure)::/dev/shm on gpu-a17 …
// Everything of a log is percent-encoded: a log cannot start a command of its own.
#include <fmt/format.h>

#include "base/escape.h"
#include "report/decision_words.h"
#include "report/gathered_culprits.h"
#include "report/outcome_sentence.h"
#include "report/phrases.h"
#include "report/renderer.h"

namespace ncclwhy {
namespace {

constexpr size_t kAnnotatedFixes = 3;

class Annotations {
 public:
  void Add(std::string_view level, const Evidence* place, std::string_view title, std::string_view message) {
    // GitHub shows ten of a step and drops the others without a word.
    if (count_ == kGithubAnnotations) return;
    ++count_;
    std::string properties;
    if (place != nullptr && !place->file.empty()) {
      properties = "file=" + EscapeGithubProperty(place->file);
      if (place->line > 0) properties += fmt::format(",line={}", place->line);
    }
    if (!title.empty()) {
      properties += (properties.empty() ? "title=" : ",title=") + EscapeGithubProperty(title);
    }
    out_ += fmt::format("::{}{}{}::{}\n", level, properties.empty() ? "" : " ", properties, EscapeGithubData(message));
  }
  std::string Take() { return std::move(out_); }

 private:
  size_t count_ = 0;
  std::string out_;
};

const Evidence* FirstPlace(const std::vector<Evidence>& evidence) {
  for (const Evidence& item : evidence) {
    if (!item.file.empty()) return &item;
  }
  return nullptr;
}

// What became of the job.
std::string OutcomeLine(const Report& report, const Words& words) {
  const std::string outcome = OutcomeSentence(report, words);
  return outcome.empty() ? outcome : Filled(words.label, words.outcome) + outcome + "\n";
}

std::string MainMessage(const Report& report, const Cause& cause, const Words& words) {
  // Lines of a message are %0A: one annotation has several lines.
  std::string out = OutcomeLine(report, words) + (cause.summary.empty() ? cause.title : cause.summary);
  const std::vector<Culprit> culprits = Gathered(cause.culprits, words);
  for (size_t i = 0; i < culprits.size() && i < 3; ++i) out += "\n" + CulpritSentence(culprits[i], words);
  // The log is no file of the repository: whoever reads this has not got the line.
  if (const Evidence* first = FirstPlace(cause.evidence); first != nullptr && !first->text.empty()) {
    out += "\n" + Filled(words.label, words.evidence) + first->text;
  }
  if (report.decision) {
    out += "\n" + Filled(words.label, words.decision) + DecisionSentence(*report.decision, words);
    const std::string command = DecisionCommand(*report.decision);
    if (!command.empty()) out += "\n" + command.substr(0, command.size() - 1);
  }
  // Each is for another environment.
  for (size_t i = 0; i < cause.fixes.size() && i < kAnnotatedFixes; ++i) {
    const Fix& fix = cause.fixes[i];
    out += "\n" + Filled(words.label, words.fix) + FixLabel(fix, words) + fix.text;
    // A script is no line to type behind a prompt.
    if (fix.command.find('\n') != std::string::npos) {
      out += "\n" + fix.command;
    } else if (!fix.command.empty()) {
      out += "\n  " + Prompt(fix.host, fix.command) + fix.command;
    }
  }
  return out;
}

}  // namespace

std::string RenderGithub(const Report& report, const RenderOptions& options) {
  const Words& words = WordsOf(options.language);
  Annotations out;
  if (NamedCause(report) != nullptr) {
    const Cause& cause = report.causes.front();
    const Evidence* first = FirstPlace(cause.evidence);
    // A job that was only slow is a warning: it must not fail a workflow.
    out.Add(report.verdict == Verdict::kFailure ? "error" : "warning", first,
            fmt::format("{} ({}, {})", cause.title, cause.id,
                        Filled(words.confidence, std::to_string(Percent(cause.confidence)))),
            MainMessage(report, cause, words));
    for (const Evidence& item : cause.evidence) {
      // The first place has its annotation above.
      if (&item == first || item.file.empty()) continue;
      out.Add("notice", &item, cause.id, item.note.empty() ? item.text : item.note + "\n" + item.text);
    }
  } else if (report.verdict == Verdict::kUndetermined) {
    std::string message = OutcomeLine(report, words) + Headline(report, words);
    for (const PossibleCause& item : report.candidates) message += "\n" + item.title + " (" + item.id + ")";
    for (const Collect& item : report.collect) message += "\n" + item.what;
    out.Add("warning", report.causes.empty() ? nullptr : FirstPlace(report.causes.front().evidence), "ncclwhy",
            message);
  } else {
    out.Add("notice", nullptr, "ncclwhy", OutcomeLine(report, words) + Headline(report, words));
  }
  for (size_t i = 0; i < report.jobs.size(); ++i) {
    // One annotation for each job, with the status that `ncclwhy` would have had for it.
    const JobAnswer& job = report.jobs[i];
    out.Add(job.exit_status == 0 ? "notice" : "error", nullptr, job.name, JobLine(i + 1, job, words));
  }
  for (const std::string& problem : report.problems) out.Add("warning", nullptr, words.problems, problem);
  for (const Warning& warning : report.warnings) {
    out.Add("warning", FirstPlace(warning.evidence), warning.id, warning.text);
  }
  return out.Take();
}

}  // namespace ncclwhy

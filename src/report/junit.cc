// JUnit XML: one test case for the job and one for the input, so that a CI system shows the cause where it shows tests.
#include <fmt/format.h>

#include "analyze/answer_names.h"
#include "base/escape.h"
#include "report/decision_words.h"
#include "report/gathered_culprits.h"
#include "report/outcome_sentence.h"
#include "report/phrases.h"
#include "report/proof.h"
#include "report/renderer.h"

namespace ncclwhy {
namespace {

// CI systems show this text as it is, in a box of fixed width.
std::string Details(const Cause& cause, const Words& words) {
  std::string out;
  for (const Culprit& culprit : Gathered(cause.culprits, words)) out += CulpritSentence(culprit, words) + "\n";
  for (const Evidence& item : cause.evidence) {
    const std::string place = FileLine(item.file, item.line);
    out += fmt::format("{}{}{}\n", place, place.empty() ? "" : ": ", item.text.empty() ? item.note : item.text);
  }
  for (const Fix& fix : cause.fixes) {
    out += Filled(words.label, words.fix) + FixLabel(fix, words) + fix.text + "\n";
    if (!fix.command.empty()) out += "  " + Prompt(fix.host, fix.command) + fix.command + "\n";
  }
  return out;
}

// What became of the job, and what to do.
std::string Story(const Report& report, const Words& words) {
  std::string out;
  const auto line = [&](std::string_view label, const std::string& text) {
    if (!text.empty()) out += Filled(words.label, label) + text + "\n";
  };
  line(words.outcome, OutcomeSentence(report, words));
  line(words.chain, ChainSentence(report, ProofOf(report, words, kShownProofs), words));
  if (report.decision) {
    line(words.decision, DecisionSentence(*report.decision, words));
    out += DecisionCommand(*report.decision);
  }
  for (const std::string& attempt : AttemptLines(report, words)) out += attempt + "\n";
  return out;
}

std::string Failure(std::string_view type, std::string_view message, std::string_view details) {
  return fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n", EscapeXml(type), EscapeXml(message),
                     EscapeXml(details));
}

}  // namespace

std::string RenderJunit(const Report& report, const RenderOptions& options) {
  const Words& words = WordsOf(options.language);
  // Undetermined fails the case as well: a green test would hide it.
  const bool failed = report.verdict == Verdict::kFailure || report.verdict == Verdict::kUndetermined;
  const bool skipped = report.verdict == Verdict::kNoNccl;

  std::string job;
  if (report.verdict == Verdict::kFailure && !report.causes.empty()) {
    const Cause& cause = report.causes.front();
    job = Failure(cause.id, fmt::format("{} ({}%): {}", cause.title, Percent(cause.confidence), cause.summary),
                  Story(report, words) + Details(cause, words));
  } else if (failed) {
    std::string details = Story(report, words);
    for (const PossibleCause& item : report.candidates) {
      details += fmt::format("{}: {}{}\n", item.id, item.title,
                             item.tells.empty() ? item.tells : std::string(words.why_separator) + item.tells);
      if (!item.command.empty()) details += "  $ " + item.command + "\n";
    }
    for (const Cause& cause : report.causes) {
      details += fmt::format("{} ({}%): {}\n", cause.id, Percent(cause.confidence), cause.title);
    }
    for (const Collect& item : report.collect) details += item.what + "\n";
    job = Failure("undetermined", Headline(report, words), details);
  } else if (skipped) {
    job = fmt::format("      <skipped message=\"{}\"/>\n", EscapeXml(Headline(report, words)));
  }

  std::string problems;
  for (const std::string& problem : report.problems) problems += problem + "\n";
  // One error for the input with all problems: the message is the first, which lists show.
  const std::string input = problems.empty() ? ""
                                             : fmt::format("      <error type=\"input\" message=\"{}\">{}</error>\n",
                                                           EscapeXml(report.problems.front()), EscapeXml(problems));

  std::string output = CoverageSentence(report.coverage, words) + "\n";
  // Of a failure the story stands in the case itself.
  if (!failed) output += Story(report, words);
  if (report.verdict == Verdict::kDegraded) {
    for (const Cause& cause : report.causes)
      output += fmt::format("{}: {}\n{}", cause.id, cause.title, Details(cause, words));
  }
  for (const Warning& warning : report.warnings) output += fmt::format("{}: {}\n", warning.id, warning.text);

  const auto test_case = [](std::string_view name, const std::string& body) {
    return fmt::format("    <testcase classname=\"ncclwhy\" name=\"{}\"{}", name,
                       body.empty() ? std::string("/>\n") : ">\n" + body + "    </testcase>\n");
  };
  // Each of several jobs is a case of its own.
  std::string jobs;
  size_t failures = failed ? 1 : 0;
  for (size_t i = 0; i < report.jobs.size(); ++i) {
    const JobAnswer& each = report.jobs[i];
    const bool bad = each.exit_status != 0;
    failures += bad ? 1 : 0;
    const std::string type = each.cause.empty() ? std::string(VerdictName(each.verdict)) : each.cause;
    jobs +=
        test_case(EscapeXml(each.name), bad ? Failure(type, each.title, JobLine(i + 1, each, words)) : std::string());
  }
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
                                         // The case of the job and that of the input, and one for each of several jobs.
                                         2 + report.jobs.size(), failures, problems.empty() ? 0 : 1, skipped ? 1 : 0);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {0}>\n  <testsuite name=\"ncclwhy\" {0}>\n{1}{2}{3}"
      "    <system-out>{4}</system-out>\n  </testsuite>\n</testsuites>\n",
      counts, test_case("job", job), jobs, test_case("input", input), EscapeXml(output));
}

}  // namespace ncclwhy

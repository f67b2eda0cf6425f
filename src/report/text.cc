// The short answer: what an engineer would send to a colleague. At most kAnswerRows rows of 100 columns; everything
// else is in RenderFull.
//
//   FAILURE  /dev/shm on gpu-a17 has no room for NCCL's segment of 33.0 MB.  (shm.too-small, very likely)
//     Outcome: failed, 41,200 iterations in 3 h 12 min
//     rank 3 on gpu-a17, pid 4242, GPU 3: the first rank that failed
//   Evidence, in logs/run17/
//     rank3.log:41  Error: failed to extend /dev/shm/nccl-x8Gh2k to 33030532 bytes, error: No space left on device
#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/logger_prefix.h"
#include "base/utf8.h"
#include "report/answer_measure.h"
#include "report/decision_words.h"
#include "report/end_of_log.h"
#include "report/gathered_culprits.h"
#include "report/harmless_sentence.h"
#include "report/layout.h"
#include "report/outcome_sentence.h"
#include "report/phrases.h"
#include "report/proof.h"
#include "report/renderer.h"
#include "report/shown_output.h"
#include "report/words.h"

namespace ncclwhy {
namespace {

constexpr double kClose = 0.15;    // of a cause after the first that is worth a line
constexpr double kNoDoubt = 0.95;  // nothing needs to be looked at any more
constexpr size_t kProblems = 3;
// Rows that leave room for more than must be told.
constexpr size_t kComfortable = 16;
// Harmless lines that are named.
constexpr size_t kHarmless = 2;
constexpr size_t kPlaceColumns = 12;  // of the place in front of a quoted line, and of indentation
// One line each, besides the rows of the answer.
constexpr size_t kJobs = 8;

bool HasCandidates(const Report& report) {
  return report.verdict == Verdict::kUndetermined && (!report.candidates.empty() || !report.causes.empty());
}

class ShortAnswer {
 public:
  ShortAnswer(const Report& report, const RenderOptions& options, const AnswerMeasure& measure)
      : report_(report),
        words_(WordsOf(options.language)),
        measure_(measure),
        link_(options.link),
        layout_(options.width, options.color) {}

  std::string Render() {
    proofs_ = ProofOf(report_, words_, measure_.proofs);
    std::vector<std::string> files;
    for (const Proof& proof : proofs_) files.push_back(proof.file);
    end_ = EndOfLog(report_);
    // Without evidence the end is what is quoted.
    for (const Proof& proof : end_) {
      if (proofs_.empty()) files.push_back(proof.file);
    }
    folder_ = CommonPlace(files);
    Top();
    Proofs();
    End();
    Chain();
    Harmless();
    const Cause* cause = NamedCause(report_);
    Decide(true);  // a look that has to come first is told first
    if (cause != nullptr) FirstFix(*cause);
    Decide(false);
    if (cause != nullptr) Doubt(*cause);
    Contradiction();
    Alternatives();
    SeenBefore();
    Collects();
    Warnings();
    Problems();
    Jobs();
    More();
    rows_ = layout_.rows();
    return layout_.Take();
  }
  // Of what Render returned.
  size_t rows() const { return rows_; }

 private:
  std::string Labelled(std::string_view label, std::string_view text) const {
    return Filled(words_.label, label) + std::string(text);
  }

  void Top() {
    const Cause* cause = NamedCause(report_);
    std::string headline = Headline(report_, words_);
    // With the log's own values, where there are any.
    if (cause != nullptr && !cause->summary.empty()) headline = cause->summary;
    if (cause != nullptr) headline += fmt::format("  ({}, {})", cause->id, SureWord(cause->confidence, words_));
    const bool done = report_.verdict == Verdict::kNoNccl && report_.outcome == Outcome::kSucceeded;
    if (done) {
      layout_.Headed(words_.healthy, VerdictStyle(Verdict::kHealthy), OutcomeSentence(report_, words_, folder_));
      layout_.Clipped("  ", headline, 1);
      return EarlierAttempt();
    }
    const bool open = report_.verdict == Verdict::kHealthy && report_.outcome == Outcome::kUnknown;
    const std::string_view so_far = report_.headline.empty() ? words_.healthy_so_far : words_.unfinished;
    layout_.Headed(open ? so_far : VerdictWord(report_.verdict, words_), VerdictStyle(report_.verdict), headline);
    // "FAILURE … failed" says nothing more, and when it was is not worth a line of its own.
    const std::string how_far = HowFar(report_, words_, folder_);
    if (!how_far.empty() && (cause == nullptr || how_far != words_.failed)) {
      std::string outcome = Labelled(words_.outcome, OutcomeSentence(report_, words_, folder_));
      const bool long_one = cause != nullptr && DisplayWidth(outcome) + 2 > layout_.prose_width();
      if (long_one) outcome = Labelled(words_.outcome, how_far);
      layout_.Clipped("  ", outcome, 2);
    }
    EarlierAttempt();
    if (cause == nullptr) return;
    const std::vector<Culprit> culprits = Gathered(cause->culprits, words_);
    const size_t shown = std::min(culprits.size(), measure_.culprits);
    for (size_t i = 0; i < shown; ++i) {
      std::string who = CulpritSentence(culprits[i], words_);
      if (i + 1 == shown && shown < culprits.size()) {
        who += fmt::format(" ({})", Counted(words_.more_culprits, culprits.size() - shown));
      }
      layout_.Clipped("  ", who, 2, Style::kBold);
    }
  }

  // What the first of those before came to: the last one is what the report is on.
  void EarlierAttempt() {
    for (const Attempt& attempt : report_.attempts) {
      // The same failure again, or a launcher's bare word, tells nothing new.
      const bool same = !report_.causes.empty() && attempt.cause == report_.causes.front().id;
      const bool told = attempt.outcome != Outcome::kFailed || (!attempt.cause.empty() && !same);
      if (&attempt == &report_.attempts.back() || attempt.sentence.empty() || !told) continue;
      std::string how;
      if (attempt.outcome == Outcome::kSucceeded) how = fmt::format("{}{}", words_.succeeded, words_.clause_separator);
      layout_.Clipped("  ", Labelled(words_.earlier_attempt, how + attempt.sentence), 1);
      break;
    }
  }

  void Proofs() {
    if (proofs_.empty()) return;
    const std::string_view title = report_.verdict == Verdict::kUndetermined ? words_.failing : words_.evidence;
    layout_.Section(InFolder(title));
    for (const Proof& proof : proofs_) Quote(proof, folder_);
  }

  // "Evidence, in logs/run17/"
  std::string InFolder(std::string_view title) const {
    return folder_.empty() ? std::string(title) : fmt::format(fmt::runtime(words_.in_folder), title, folder_);
  }

  void End() {
    if (end_.empty()) return;
    layout_.Section(proofs_.empty() ? InFolder(words_.ends_with) : std::string(words_.ends_with));
    for (const Proof& proof : end_) Quote(proof, proof.file.starts_with(folder_) ? folder_ : std::string());
  }

  void Quote(const Proof& proof, const std::string& folder) {
    if (proof.file.empty()) {
      layout_.Clipped("  ", Labelled(words_.absent, proof.note), 2);
      return;
    }
    std::string text = proof.text.empty() ? proof.note : std::string(WithoutProgressBar(proof.text));
    if (DisplayWidth(text) > measure_.quote_rows * (layout_.prose_width() - kPlaceColumns)) text = MessageOfLine(text);
    if (proof.count > 1) text = fmt::format("({}) {}", Filled(words_.times, std::to_string(proof.count)), text);
    layout_.Quote(FileLine(proof.file, proof.line).substr(folder.size()),
                  link_ ? link_(proof.file, proof.line) : std::string(), text, measure_.quote_rows);
    std::string note = proof.text.empty() || proof.note == last_note_ ? std::string() : proof.note;
    last_note_ = proof.note;
    if (!proof.also.empty()) {
      const std::string& first = proof.also.front();
      if (!note.empty()) note += words_.clause_separator;
      note += Filled(words_.also, first.starts_with(folder) ? first.substr(folder.size()) : first);
      if (proof.also.size() > 1) note += std::string(words_.clause_separator) + "\xE2\x80\xA6";  // …
    }
    if (measure_.note_rows > 0 && !note.empty()) layout_.Clipped("    = ", note, measure_.note_rows, Style::kDim);
  }

  void Chain() {
    const size_t row = layout_.prose_width();
    const std::string chain = ChainSentence(report_, proofs_, words_, measure_.chain_rows * row, row);
    if (!chain.empty()) layout_.Labelled(words_.chain, chain, measure_.chain_rows);
  }

  // Where all went well only what did fail is worth a word: that it was got over.
  void Harmless() {
    if (measure_.harmless == 0) return;
    const bool well = report_.verdict == Verdict::kHealthy && report_.outcome == Outcome::kSucceeded;
    if (NamedCause(report_) == nullptr && !well) return Meanings();
    const bool quote = report_.coverage.lines <= kQuoteLines;
    const std::string list = HarmlessSentence(report_, words_, std::min(measure_.harmless, kHarmless), well, quote);
    if (list.empty()) return;
    layout_.Labelled(well ? words_.got_over : words_.harmless, list, measure_.harmless + 1, Style::kDim);
  }

  // A quote of a few lines that show no failure: what each is.
  void Meanings() {
    const bool open = report_.verdict == Verdict::kHealthy || report_.verdict == Verdict::kNoNccl;
    if (!open || report_.outcome != Outcome::kUnknown || report_.coverage.lines > kQuoteLines) return;
    for (size_t i = 0; measure_.harmless > 1 && i < std::min(report_.harmless.size(), kHarmless); ++i) {
      const HarmlessLine& item = report_.harmless[i];
      if (item.why.empty()) continue;
      if (i == 0) layout_.Section(words_.harmless);
      Quote({item.file, item.line, item.text, item.why, item.count, {}}, {});
    }
  }

  void FirstFix(const Cause& cause) {
    if (cause.fixes.empty()) return;
    const Fix& fix = cause.fixes.front();
    layout_.Labelled(words_.fix, (fix.at_hand ? "" : FixLabel(fix, words_)) + fix.text, measure_.fix_rows);
    Command(fix.command, fix.host);
  }

  // Why this sure, what the lines do not show, and the look that would settle it.
  void Doubt(const Cause& cause) {
    const bool asked = report_.decision && report_.decision->why.ends_with(cause.unproven);
    std::string text = cause.sure;
    if (measure_.unproven && !cause.unproven.empty() && !asked) {
      text += (text.empty() ? "" : std::string(words_.clause_stop)) + Labelled(words_.unproven, cause.unproven);
    }
    if (!text.empty()) layout_.Labelled(words_.why_sure, text, 2, Style::kDim);
    Check(cause);
  }

  // Nothing that the reader would have to fill in first, and no look that the fix takes anyway.
  void Check(const Cause& cause) {
    const bool told = cause.confidence >= kNoDoubt && !cause.fixes.empty() && !cause.fixes.front().command.empty();
    if (!measure_.check || told) return;
    for (const Confirm& confirm : cause.confirm) {
      if (confirm.command.empty() || confirm.command.find('\n') != std::string::npos) continue;
      if (HasPlaceholder(confirm.command) || IsPartOfFix(confirm.command)) continue;
      layout_.Labelled(words_.check, confirm.text, 2);
      return layout_.Command("  " + Prompt(confirm.host, confirm.command), confirm.command);
    }
  }

  // Whole or not at all.
  void Command(const std::string& command, std::string_view host = {}) {
    const size_t lines = static_cast<size_t>(std::count(command.begin(), command.end(), '\n')) + 1;
    if (command.empty() || lines > measure_.command_lines) return;
    layout_.Command("  " + Prompt(host, command), command);
    const std::string shown = ShownSentence(report_, command, folder_, words_);
    if (!shown.empty()) layout_.Clipped("  ", shown, 1);
  }

  void Alternatives() {
    if (HasCandidates(report_)) layout_.Section(words_.candidates);
    size_t left = HasCandidates(report_) ? measure_.candidates : 1;
    const std::string_view label = HasCandidates(report_) ? std::string_view() : words_.or_else;
    for (const PossibleCause& item : report_.candidates) {
      if (left-- == 0) return;
      std::string line = fmt::format("{} ({})", item.title, item.id);
      if (!item.tells.empty()) line += std::string(words_.why_separator) + item.tells;
      Alternative(label, line);
      Command(item.command);
    }
    if (!report_.candidates.empty()) return;
    const bool named = NamedCause(report_) != nullptr;
    for (size_t i = named ? 1 : 0; i < report_.causes.size() && left > 0; ++i, --left) {
      const Cause& cause = report_.causes[i];
      if (named && cause.confidence < kClose) return;
      std::string line = fmt::format("{} ({})", cause.title, cause.id);
      if (!cause.why_not.empty()) line += std::string(words_.why_separator) + cause.why_not;
      Alternative(label, line);
    }
  }
  void Alternative(std::string_view label, std::string_view line) {
    label.empty() ? layout_.Clipped("  - ", line, 2) : layout_.Labelled(label, line, 2);
  }

  // Where there is no answer, others may have had one.
  void SeenBefore() {
    if (report_.verdict != Verdict::kUndetermined || report_.seen_before.empty()) return;
    layout_.Section(words_.seen_before);
    for (size_t i = 0; i < std::min(report_.seen_before.size(), measure_.seen); ++i) {
      const SeenIncident& item = report_.seen_before[i];
      layout_.Clipped("  - ", SeenSentence(item, words_), 2);
      layout_.LogText("    ", item.url, 2);
    }
  }

  void Decide(bool look_first) {
    if (!report_.decision || report_.decision->look_first != look_first) return;
    if (report_.decision->action == Action::kUndecided && !report_.decision->end_first) return;
    // A few lines that somebody quotes do not show that the job ended with them.
    const bool quote = report_.coverage.lines <= kQuoteLines && report_.job.communicators.empty();
    if (report_.decision->action == Action::kFixFirst && (quote || report_.outcome == Outcome::kUnknown)) return;
    Decision brief = *report_.decision;
    if (const Cause* cause = NamedCause(report_); cause != nullptr && brief.why == cause->title) brief.why.clear();
    layout_.Labelled(words_.decision, DecisionSentence(brief, words_), 2);
    if (!IsPartOfFix(report_.decision->command)) Command(report_.decision->command);
  }

  bool IsPartOfFix(std::string_view command) const {
    const Cause* cause = NamedCause(report_);
    return cause != nullptr && !cause->fixes.empty() && IsPartOf(command, cause->fixes.front().command);
  }

  void Collects() {
    if (NamedCause(report_) != nullptr || report_.collect.empty()) return;
    layout_.Section(words_.collect);
    for (size_t i = 0; i < std::min(report_.collect.size(), measure_.collects); ++i) {
      layout_.Clipped("  - ", report_.collect[i].what, 2);
      Command(report_.collect[i].command);
    }
  }

  // ncclras misses no rank and counts equal calls, 4 watchdogs saw a call that did not end (ras.json:1)
  void Contradiction() {
    if (report_.verdict != Verdict::kFailure && report_.verdict != Verdict::kUndetermined) return;
    for (const Warning& w : report_.warnings) {
      if (w.contradicts) return layout_.Labelled(words_.contradiction, WarningSentence(w), 3);
    }
  }

  // Who has a failure to mend does not want to hear of more.
  void Warnings() {
    if (report_.verdict == Verdict::kFailure || report_.verdict == Verdict::kUndetermined) return;
    const size_t shown = std::min(report_.warnings.size(), measure_.warnings);
    for (size_t i = 0; i < shown; ++i) layout_.Labelled(words_.warning, WarningSentence(report_.warnings[i]), 2);
  }

  void Problems() {
    const size_t shown = std::min(report_.problems.size(), kProblems);
    for (size_t i = 0; i < shown; ++i) layout_.Labelled(words_.problem, report_.problems[i], 2, Style::kYellow);
    if (shown < report_.problems.size()) {
      layout_.Clipped("  ", Counted(words_.more_items, report_.problems.size() - shown), 1);
    }
  }

  void Jobs() {
    if (report_.jobs.empty()) return;
    layout_.Section(Labelled(words_.jobs, std::to_string(report_.jobs.size())));
    const size_t shown = std::min(report_.jobs.size(), kJobs);
    for (size_t i = 0; i < shown; ++i) layout_.Clipped("  ", JobLine(i + 1, report_.jobs[i], words_), 1);
    if (shown < report_.jobs.size()) {
      layout_.Clipped("  ", Counted(words_.more_items, report_.jobs.size() - shown), 1, Style::kDim);
    }
  }

  void More() {
    const std::string job = ShortJobSentence(report_, words_);
    std::string read = CoverageSentence(report_.coverage, words_);
    if (!job.empty()) read = Labelled(words_.job, ReadSentence(report_.coverage, words_) + "; " + job);
    const Cause* cause = NamedCause(report_);
    std::string where;
    if (cause != nullptr || report_.verdict == Verdict::kUndetermined || !report_.warnings.empty()) {
      where =
          Labelled(words_.more, words_.more_full) + (cause != nullptr ? Filled(words_.more_explain, cause->id) : "");
    }
    // One row where both fit.
    const std::string both = where.empty() ? read : read + "  " + where;
    if (DisplayWidth(both) <= layout_.prose_width()) return layout_.Clipped("", both, 1, Style::kDim);
    layout_.Clipped("", read, job.empty() ? 2 : 1, Style::kDim);
    layout_.Clipped("", where, 1, Style::kDim);
  }

  const Report& report_;
  const Words& words_;
  const AnswerMeasure& measure_;
  const FileLink& link_;
  std::vector<Proof> proofs_;
  std::vector<Proof> end_;
  std::string folder_;  // of all of them; empty when there is none
  std::string last_note_;
  size_t rows_ = 0;
  Layout layout_;
};

}  // namespace

std::string RenderText(const Report& report, const RenderOptions& options) {
  size_t most = HasCandidates(report) ? kUndeterminedRows : kAnswerRows;
  if (!report.jobs.empty()) most += std::min(report.jobs.size(), kJobs) + 2;
  const bool alarms = std::any_of(report.harmless.begin(), report.harmless.end(),
                                  [](const HarmlessLine& item) { return item.alarm >= 2; });
  const bool unproven = !report.causes.empty() && !report.causes[0].unproven.empty();
  std::string text;
  // From the most generous one to the least; the first whose answer fits is taken, and the last one as it is.
  for (const AnswerMeasure& measure : kAnswerMeasures) {
    if (measure.proofs < 3 && measure.unproven && !unproven) continue;  // the third proof would go for nothing
    ShortAnswer answer(report, options, measure);
    text = answer.Render();
    const bool more = measure.check || measure.harmless > 1 || measure.unproven;
    // What would be taken for the failure is worth a row that what is not shown had to give up.
    const size_t comfortable = alarms && measure.harmless == 1 ? kComfortable + 1 : kComfortable;
    if (answer.rows() <= (more ? std::min(most, comfortable) : most)) break;
  }
  return text;
}

}  // namespace ncclwhy

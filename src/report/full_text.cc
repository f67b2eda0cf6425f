// Everything that a report for people holds (`-v`): what broke, where, why, how sure, the lines, the fixes; then the
// rest, shortened so that the failure of a large job fits one screen. Other formats list all of it; text.cc has the
// short answer.
//
//   FAILURE  /dev/shm is too small  (shm.too-small, 93% sure)
//     rank 3 on gpu-a17, pid 4242, GPU 3: the first rank that failed
//     /dev/shm on gpu-a17 has no room for NCCL's segment of 33.0 MB.
#include <fmt/format.h>

#include <algorithm>

#include "report/clock_words.h"
#include "report/decision_words.h"
#include "report/evidence_group.h"
#include "report/gathered_culprits.h"
#include "report/layout.h"
#include "report/outcome_sentence.h"
#include "report/phrases.h"
#include "report/renderer.h"
#include "report/words.h"

namespace ncclwhy {
namespace {

// Of each section so much that a failure of thousands of ranks stays on one screen.
constexpr size_t kCulprits = 3;
constexpr size_t kEvidence = 3;
constexpr size_t kRowsPerLogLine = 2;
constexpr size_t kFixes = 3;
constexpr size_t kConfirms = 1;
constexpr size_t kCollects = 2;
constexpr size_t kConsequences = 1;
constexpr size_t kFailing = 3;
constexpr size_t kWarnings = 2;
constexpr size_t kProblemsShown = 5;
constexpr size_t kSteps = 12;

// "(cost: none)" behind each fix would be noise. The knowledge writes it in these ways.
bool IsFree(std::string_view cost) {
  return cost.empty() || cost == "none" || cost == "None." || cost == "无" || cost == "无。";
}

class FullText {
 public:
  FullText(const Report& report, const RenderOptions& options)
      : report_(report), words_(WordsOf(options.language)), layout_(options.width, options.color) {}

  std::string Render() {
    // First what broke and who, then why it is believed, then what to do; what a reader needs last stands last.
    Verdict();
    if (!report_.causes.empty()) {
      Meaning(report_.causes.front());
      EvidenceOf(report_.causes.front());
      Calls();
      Story();
    }
    Clocks();
    if (const Cause* cause = NamedCause(report_)) {
      Fixes(*cause);
      Confirms(*cause);
    }
    // Where nothing is named the failing lines are the best there is, and stand further up.
    Decide();
    Alternatives();
    if (report_.verdict == Verdict::kUndetermined) Consequences();
    SeenBefore();
    Collects();
    if (report_.verdict != Verdict::kUndetermined) Consequences();
    Harmless();
    LastWords();
    Warnings();
    Problems();
    Footer();
    return layout_.Take();
  }

 private:
  // How many of `count` were left out, said once.
  void More(std::string_view prefix, std::string_view forms, uint64_t left) {
    if (left > 0) layout_.Prose(prefix, Counted(forms, left), Style::kDim);
  }

  // Of a job in which nothing is named, the first of the candidates lends its culprits, without its sentences.
  void Verdict() {
    std::string headline = Headline(report_, words_);
    const bool named = NamedCause(report_) != nullptr;
    if (named) {
      const Cause& cause = report_.causes.front();
      headline +=
          fmt::format("  ({}, {})", cause.id, Filled(words_.confidence, std::to_string(Percent(cause.confidence))));
    }
    layout_.Headed(VerdictWord(report_.verdict, words_), VerdictStyle(report_.verdict), headline);
    Outcomes();
    if (report_.causes.empty()) return;
    const Cause& cause = report_.causes.front();
    const std::vector<Culprit> culprits = Gathered(cause.culprits, words_);
    const size_t shown = std::min(culprits.size(), kCulprits);
    // With three culprits a reader has the pattern; the others are counted.
    for (size_t i = 0; i < shown; ++i) layout_.Prose("  ", CulpritSentence(culprits[i], words_), Style::kBold);
    More("  ", words_.more_culprits, culprits.size() - shown);
    if (named && !cause.summary.empty()) layout_.Prose("  ", cause.summary);
    if (!cause.sure.empty()) layout_.Prose("  ", Filled(words_.label, words_.why_sure) + cause.sure);
    if (!cause.unproven.empty()) layout_.Prose("  ", Filled(words_.label, words_.unproven) + cause.unproven);
  }

  // What became of the job, of each attempt at it, of each job.
  void Outcomes() {
    if (const std::string outcome = OutcomeSentence(report_, words_); !outcome.empty()) {
      layout_.Prose("  ", Filled(words_.label, words_.outcome) + outcome);
    }
    for (const std::string& line : AttemptLines(report_, words_)) layout_.Prose("  ", line);
    if (report_.jobs.empty()) return;
    layout_.Prose("  ", Filled(words_.label, words_.jobs) + std::to_string(report_.jobs.size()));
    for (size_t i = 0; i < report_.jobs.size(); ++i) layout_.Prose("  ", JobLine(i + 1, report_.jobs[i], words_));
  }

  // What broke, what followed and how it ended, step by step.
  void Story() {
    if (report_.timeline.empty()) return;
    layout_.Title(words_.chain);
    const size_t shown = std::min(report_.timeline.size(), kSteps);
    for (size_t i = 0; i < shown; ++i) {
      const TimelineStep& step = report_.timeline[i];
      const std::string place = FileLine(step.file, step.line);
      layout_.Prose("  - ", StepLine(step, words_) + (place.empty() ? "" : fmt::format(" ({})", place)));
    }
    More("  ", words_.more_items, report_.timeline.size() - shown);
  }

  // Only what would lead a reader of the lines astray.
  void Clocks() {
    const std::vector<std::string> notes = ClockNotes(report_, words_, TellsClock::kMisleading);
    if (notes.empty()) return;
    layout_.Title(words_.clocks);
    for (const std::string& note : notes) layout_.Prose("  - ", note);
  }

  // The calls at which ranks disagree, and one before: the page has them side by side.
  void Calls() {
    for (const ReportCommunicator& comm : report_.job.communicators) {
      const CallTable& table = comm.calls_differ;
      if (table.columns.empty()) continue;
      layout_.Title(words_.calls_differ);
      // The first communicator with such a table; its last common call gives the reader his bearings.
      const size_t at = static_cast<size_t>(table.disagree - table.first);
      // One common call in front shows where they still agreed.
      for (size_t row = at == 0 ? 0 : at - 1; row <= at; ++row) {
        for (const CallColumn& column : table.columns) {
          if (column.calls[row].empty()) continue;
          layout_.LogText(
              "  ", fmt::format("{}  {}: {}", table.first + row, RanksNamed(column.ranks, words_), column.calls[row]),
              kRowsPerLogLine);
        }
      }
      return;
    }
  }

  void Decide() {
    if (!report_.decision) return;
    layout_.Title(words_.decision);
    std::string sentence = DecisionSentence(*report_.decision, words_);
    // Who does not know what to do is not sure of it.
    if (report_.decision->confidence > 0) {
      sentence += " (" + Filled(words_.confidence, std::to_string(Percent(report_.decision->confidence))) + ")";
    }
    layout_.Prose("  ", sentence);
    layout_.Command("  $ ", report_.decision->command);
  }

  void Meaning(const Cause& cause) {
    if (NamedCause(report_) == nullptr || cause.meaning.empty()) return;
    layout_.Title(words_.meaning);
    layout_.Prose("  ", cause.meaning);
  }

  void EvidenceOf(const Cause& cause) {
    if (cause.evidence.empty()) return;
    layout_.Title(words_.evidence);
    const std::vector<EvidenceGroup> groups = GroupEvidence(cause.evidence);
    size_t left = cause.evidence.size();
    for (size_t i = 0; i < std::min(groups.size(), kEvidence); ++i) {
      // A group counts as one line.
      const Evidence& item = cause.evidence[groups[i].front()];
      left -= groups[i].size();
      const std::string place = FileLine(item.file, item.line);
      const std::string role(RoleWord(item.role, words_));
      if (place.empty()) {  // what is missing has no line
        layout_.Prose("  = ", item.note.empty() ? role : Filled(words_.label, role) + item.note);
        continue;
      }
      layout_.Prose("  ", fmt::format("{} ({})", place, role), Style::kCyan);
      if (!item.text.empty()) layout_.LogText("  | ", item.text, kRowsPerLogLine);
      if (!item.note.empty()) layout_.Prose("  = ", item.note);
      Also(cause.evidence, groups[i]);
    }
    More("  ", words_.more_evidence, left);
  }

  // Where else the same stands: "also rank57.log:26, rank58.log:26".
  void Also(const std::vector<Evidence>& evidence, const EvidenceGroup& group) {
    std::string places;
    for (size_t i = 1; i < group.size(); ++i) {
      places += (places.empty() ? "" : ", ") + FileLine(evidence[group[i]].file, evidence[group[i]].line);
    }
    if (!places.empty()) layout_.Prose("  ", Filled(words_.also, places), Style::kCyan);
  }

  void Fixes(const Cause& cause) {
    if (cause.fixes.empty()) return;
    layout_.Title(words_.fix);
    const size_t shown = std::min(cause.fixes.size(), kFixes);
    for (size_t i = 0; i < shown; ++i) {
      const Fix& fix = cause.fixes[i];
      const std::string cost = IsFree(fix.cost) ? "" : " " + Filled(words_.cost, fix.cost);
      layout_.Prose(fmt::format("  {}. ", i + 1), FixLabel(fix, words_) + fix.text + cost);
      layout_.Command("     " + Prompt(fix.host, fix.command), fix.command);
    }
    for (size_t i = shown; i < cause.fixes.size(); ++i) FixInShort(i + 1, cause.fixes[i]);
    if (cause.fixes_elsewhere.empty()) return;
    layout_.Title(words_.fixes_elsewhere);
    for (size_t i = 0; i < cause.fixes_elsewhere.size(); ++i) {
      FixInShort(cause.fixes.size() + i + 1, cause.fixes_elsewhere[i]);
    }
  }

  // Its first sentence and its command: "6. Only if the size cannot be changed: switch the SHM transport off."
  void FixInShort(size_t number, const Fix& fix) {
    std::string text = FixLabel(fix, words_) + fix.text;
    const std::string_view stop = words_.code == "en" ? ". " : "。";
    if (const size_t end = text.find(stop); end != std::string::npos) {
      text.resize(end + (words_.code == "en" ? 1 : stop.size()));
    }
    layout_.Prose(fmt::format("  {}. ", number), text);
    // A script of several lines would not be short.
    // A command of several lines would tear the list apart.
    if (fix.command.find('\n') == std::string::npos)
      layout_.Command("     " + Prompt(fix.host, fix.command), fix.command);
  }

  void Confirms(const Cause& cause) {
    if (cause.confirm.empty()) return;
    layout_.Title(words_.confirm);
    for (size_t i = 0; i < std::min(cause.confirm.size(), kConfirms); ++i) {
      if (!cause.confirm[i].text.empty()) layout_.Prose("  - ", cause.confirm[i].text);
      layout_.Command("    " + Prompt(cause.confirm[i].host, cause.confirm[i].command), cause.confirm[i].command);
    }
  }

  void Alternatives() {
    const bool failure = NamedCause(report_) != nullptr;
    const size_t begin = failure ? 1 : 0;
    const std::string_view mistaken =
        failure ? std::string_view(report_.causes.front().mistaken_for) : std::string_view();
    if (report_.causes.size() <= begin && mistaken.empty() && report_.candidates.empty()) return;
    layout_.Title(failure ? words_.alternatives : words_.candidates);
    if (!mistaken.empty()) layout_.Prose("  - ", mistaken);
    // Without a named cause all of them are candidates, the first included.
    for (size_t i = begin; i < report_.causes.size(); ++i) {
      const Cause& cause = report_.causes[i];
      std::string line = fmt::format("{} ({}, {})", cause.title, cause.id,
                                     Filled(words_.confidence, std::to_string(Percent(cause.confidence))));
      if (!cause.why_not.empty()) line += std::string(words_.why_separator) + cause.why_not;
      layout_.Prose("  - ", line);
    }
    for (const PossibleCause& item : report_.candidates) {
      std::string line = fmt::format("{} ({})", item.title, item.id);
      if (!item.tells.empty()) line += std::string(words_.why_separator) + item.tells;
      layout_.Prose("  - ", line);
      layout_.Command("    $ ", item.command);
    }
  }

  void SeenBefore() {
    if (!report_.seen_before.empty()) layout_.Title(words_.seen_before);
    for (const SeenIncident& item : report_.seen_before) {
      layout_.Prose("  - ", SeenSentence(item, words_));
      layout_.LogText("    ", item.url, 2);
    }
  }

  void Collects() {
    if (report_.collect.empty()) return;
    layout_.Title(words_.collect);
    const size_t shown = std::min(report_.collect.size(), kCollects);
    for (size_t i = 0; i < shown; ++i) {
      layout_.Prose("  - ", report_.collect[i].what);
      layout_.Command("    $ ", report_.collect[i].command);
    }
    More("  ", words_.more_items, report_.collect.size() - shown);
  }

  void Consequences() {
    if (report_.consequences.empty()) return;
    const bool failing = report_.verdict == Verdict::kUndetermined;
    layout_.Title(failing ? words_.failing : words_.consequences);
    // A failure whose cause is known needs one line of what followed, one without a cause needs more.
    const size_t shown = failing ? kFailing : kConsequences;
    uint64_t left = 0;
    for (size_t i = 0; i < report_.consequences.size(); ++i) {
      const Consequence& item = report_.consequences[i];
      if (i >= shown) {
        // Behind those that are shown lines are counted, not kinds.
        left += std::max<uint64_t>(item.count, 1);
        continue;
      }
      std::string head = FileLine(item.file, item.line);
      if (item.count > 1) head += fmt::format(" ({})", Filled(words_.times, std::to_string(item.count)));
      layout_.LogText("  ", fmt::format("{}: {}", head, item.text), 1);
    }
    More("  ", words_.more_consequences, left);
  }

  void Harmless() {
    if (report_.harmless.empty()) return;
    layout_.Title(words_.harmless);
    for (const HarmlessLine& item : report_.harmless) {
      layout_.LogText("  ", fmt::format("{}: {}", FileLine(item.file, item.line), item.text), 1);
      if (!item.why.empty()) layout_.Prose("    = ", item.why);
    }
  }

  void LastWords() {
    if (report_.last_words.empty()) return;
    layout_.Title(words_.ends_with);
    for (const LastWord& word : report_.last_words) {
      layout_.LogText("  ", fmt::format("{}: {}", FileLine(word.file, word.line), word.text), 1);
    }
  }

  void Warnings() {
    // Who has a failure to mend does not want to hear that it was slow before; other formats list it.
    // In a report on a failure only what may be its reason.
    std::vector<const Warning*> list;
    for (const Warning& w : report_.warnings) {
      if (report_.verdict != Verdict::kFailure || !w.slow) list.push_back(&w);
    }
    // What contradicts the answer stands first.
    std::stable_partition(list.begin(), list.end(), [](const Warning* w) { return w->contradicts; });
    if (list.empty()) return;
    layout_.Title(words_.warnings);
    const size_t shown = std::min(list.size(), kWarnings);
    for (size_t i = 0; i < shown; ++i) layout_.Prose("  - ", WarningSentence(*list[i]));
    More("  ", words_.more_warnings, list.size() - shown);
  }

  void Problems() {
    if (report_.problems.empty()) return;
    layout_.Title(words_.problems);
    const size_t shown = std::min(report_.problems.size(), kProblemsShown);
    for (size_t i = 0; i < shown; ++i) layout_.Prose("  - ", report_.problems[i], Style::kYellow);
    More("  ", words_.more_items, report_.problems.size() - shown);
  }

  void Footer() {
    layout_.Blank();
    const std::string job = JobSentence(report_.job, words_);
    if (!job.empty()) layout_.Prose("", Filled(words_.label, words_.job) + job, Style::kDim);
    layout_.Prose("", CoverageSentence(report_.coverage, words_), Style::kDim);
  }

  const Report& report_;
  const Words& words_;
  Layout layout_;
};

}  // namespace

std::string RenderFull(const Report& report, const RenderOptions& options) {
  return FullText(report, options).Render();
}

}  // namespace ncclwhy

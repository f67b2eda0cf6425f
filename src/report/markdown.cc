// Markdown for issues, merge requests and chats. Log text stands in code only; what does not fit below
// kMarkdownCharacters is left out and counted.
#include <fmt/format.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "report/clock_words.h"
#include "report/decision_words.h"
#include "report/gathered_culprits.h"
#include "report/outcome_sentence.h"
#include "report/phrases.h"
#include "report/proof.h"
#include "report/renderer.h"

namespace ncclwhy {
namespace {

// 4,000 of 65,536 characters, which GitHub takes at most.
// Room for the footer and the closing tags of what is open.
constexpr size_t kReserve = 4000;

// Code points, as limits of issues count, and not bytes: Chinese text would get a third of the room.
size_t Characters(std::string_view text) {
  size_t n = 0;
  for (const char c : text) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return n;
}

class Markdown {
 public:
  explicit Markdown(const RenderOptions& options) : words_(WordsOf(options.language)) {}

  // Appends `text` if it still fits. What is always wanted (headings, the footer) is added with `always`.
  bool Add(std::string_view text, bool always = false) {
    const size_t length = Characters(text);
    // What is always wanted is short, and has its room in the reserve.
    if (!always && used_ + length + kReserve > kMarkdownCharacters) return false;
    used_ += length;
    out_ += text;
    return true;
  }
  void Title(std::string_view text) { Add(fmt::format("\n### {}\n\n", EscapeMarkdown(text)), true); }
  void More(std::string_view forms, uint64_t left) {
    if (left > 0) Add("- " + EscapeMarkdown(Counted(forms, left)) + "\n", true);
  }
  // `item` renders one entry of `items`; entries that do not fit are counted.
  // Stops at the first that does not fit, so that what is left out is the end and not some.
  template <typename T, typename Fn>
  void List(const std::vector<T>& items, std::string_view more, const Fn& item) {
    size_t i = 0;
    while (i < items.size() && Add(item(items[i]))) ++i;
    More(more, items.size() - i);
  }
  template <typename T, typename Fn>
  void Folded(std::string_view title, const std::vector<T>& items, std::string_view more, const Fn& item) {
    if (items.empty()) return;
    // Folded sections show how many there are without being opened.
    Add(fmt::format("\n<details><summary>{} ({})</summary>\n\n", EscapeHtml(title), items.size()), true);
    List(items, more, item);
    Add("\n</details>\n", true);
  }

  const Words& words() const { return words_; }
  std::string Take() { return std::move(out_); }

 private:
  const Words& words_;
  size_t used_ = 0;
  std::string out_;
};

// Indented below the item of a list, else the list would end in front of it.
std::string CommandBlock(const std::string& command, std::string_view indent) {
  if (command.empty()) return {};
  // The block's fence is longer than any run of backticks in the command.
  const std::string block = MarkdownBlock(command, "sh");
  std::string out = "\n";
  for (size_t at = 0; at < block.size();) {
    const size_t end = block.find('\n', at);
    out += std::string(indent) + block.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

// `rank3.log:42` root, and the line in a block: log text may hold any mark of Markdown.
std::string EvidenceItem(const Evidence& item, const Words& words) {
  const std::string place = FileLine(item.file, item.line);
  std::string out = place.empty() ? "" : MarkdownCode(place) + " ";
  // In the words of the reader: direct, supporting, contradicting, missing.
  out += fmt::format("{}", EscapeMarkdown(RoleWord(item.role, words)));
  if (!item.note.empty()) out += EscapeMarkdown(std::string(words.why_separator) + item.note);
  out += "\n\n";
  if (!item.text.empty()) out += MarkdownBlock(EscapeTerminal(item.text), "text") + "\n";
  return out;
}

void CauseSections(const Cause& cause, bool failure, Markdown* out) {
  const Words& words = out->words();
  const std::vector<Culprit> culprits = Gathered(cause.culprits, words);
  // Eight: an issue has more room than a screen.
  for (size_t i = 0; i < culprits.size() && i < 8; ++i) {
    out->Add("- " + EscapeMarkdown(CulpritSentence(culprits[i], words)) + "\n");
  }
  if (culprits.size() > 8) out->More(words.more_culprits, culprits.size() - 8);
  if (failure && !cause.summary.empty()) out->Add("\n" + EscapeMarkdown(cause.summary) + "\n");
  if (failure && !cause.meaning.empty()) out->Add("\n" + EscapeMarkdown(cause.meaning) + "\n");
  if (failure && !cause.fixes.empty()) {
    out->Title(words.fix);
    size_t number = 0;
    out->List(cause.fixes, words.more_fixes, [&](const Fix& fix) {
      return fmt::format("{}. {}\n{}", ++number,
                         EscapeMarkdown(StepText(FixLabel(fix, words) + fix.text, fix.host, words)),
                         CommandBlock(fix.command, "   "));
    });
  }
  out->Folded(words.evidence, cause.evidence, words.more_evidence,
              [&](const Evidence& item) { return EvidenceItem(item, words); });
}

// What became of the job, of each attempt, of each job, and how it went.
void Outcomes(const Report& report, Markdown* out) {
  const Words& words = out->words();
  const auto line = [&](std::string_view label, std::string_view text) {
    if (!text.empty()) out->Add("- " + EscapeMarkdown(Filled(words.label, label) + std::string(text)) + "\n");
  };
  line(words.outcome, OutcomeSentence(report, words));
  // The chain of what followed, as the short text has it: readers compare both.
  line(words.chain, ChainSentence(report, ProofOf(report, words, kShownProofs), words));
  if (const Cause* cause = NamedCause(report)) line(words.why_sure, cause->sure);
  for (const std::string& attempt : AttemptLines(report, words)) out->Add("- " + EscapeMarkdown(attempt) + "\n");
  if (report.jobs.empty()) return;
  out->Title(Filled(words.label, words.jobs) + std::to_string(report.jobs.size()));
  size_t number = 0;
  out->List(report.jobs, words.more_items,
            [&](const JobAnswer& job) { return "- " + EscapeMarkdown(JobLine(++number, job, words)) + "\n"; });
  out->Add("\n");
}

void Decide(const Report& report, Markdown* out) {
  if (!report.decision) return;
  const Words& words = out->words();
  out->Title(words.decision);
  out->Add(EscapeMarkdown(DecisionSentence(*report.decision, words)) + "\n" +
           CommandBlock(report.decision->command, ""));
}

}  // namespace

std::string RenderMarkdown(const Report& report, const RenderOptions& options) {
  Markdown out(options);
  const Words& words = out.words();
  const bool failure = NamedCause(report) != nullptr;
  out.Add(fmt::format("## {}: {}\n\n", EscapeMarkdown(VerdictWord(report.verdict, words)),
                      EscapeMarkdown(Headline(report, words))),
          true);
  if (failure) {
    const Cause& cause = report.causes.front();
    out.Add(fmt::format("{} {}\n\n", MarkdownCode(cause.id),
                        EscapeMarkdown(Filled(words.confidence, std::to_string(Percent(cause.confidence))))),
            true);
  }
  Outcomes(report, &out);
  if (!report.causes.empty()) CauseSections(report.causes.front(), failure, &out);
  Decide(report, &out);
  // Behind the named one; without one all of them are candidates.
  const std::vector<Cause> others(report.causes.begin() + (failure ? 1 : 0), report.causes.end());
  if (!others.empty()) {
    out.Title(failure ? words.alternatives : words.candidates);
    out.List(others, words.more_items, [&](const Cause& cause) {
      std::string line =
          fmt::format("- {} {}: {}", MarkdownCode(cause.id),
                      EscapeMarkdown(Filled(words.confidence, std::to_string(Percent(cause.confidence)))),
                      EscapeMarkdown(cause.title));
      if (!cause.why_not.empty()) line += EscapeMarkdown(std::string(words.why_separator) + cause.why_not);
      return line + "\n";
    });
  }
  if (!report.candidates.empty()) {
    // The title stands above the other causes already.
    if (others.empty()) out.Title(failure ? words.alternatives : words.candidates);
    out.List(report.candidates, words.more_items, [&](const PossibleCause& item) {
      std::string line = fmt::format("- {}: {}", MarkdownCode(item.id), EscapeMarkdown(item.title));
      if (!item.tells.empty()) line += EscapeMarkdown(std::string(words.why_separator) + item.tells);
      return line + "\n" + CommandBlock(item.command, "  ");
    });
  }
  if (!report.seen_before.empty()) {
    out.Title(words.seen_before);
    out.List(report.seen_before, words.more_items, [&](const SeenIncident& item) {
      // In angle brackets a link needs no escape, as long as nothing ends them.
      const bool plain = item.url.starts_with("https://") && item.url.find_first_of("<>` \n\t") == std::string::npos;
      return fmt::format("- {} {}\n", EscapeMarkdown(SeenSentence(item, words)),
                         plain ? "<" + item.url + ">" : MarkdownCode(item.url));
    });
  }
  if (!report.collect.empty()) {
    out.Title(words.collect);
    out.List(report.collect, words.more_items, [&](const Collect& item) {
      return "- " + EscapeMarkdown(item.what) + "\n" + CommandBlock(item.command, "  ");
    });
  }
  if (!report.problems.empty()) {
    out.Title(words.problems);
    out.List(report.problems, words.more_items,
             [](const std::string& text) { return "- " + MarkdownCode(text) + "\n"; });
  }
  // What few readers open stands below, folded.
  out.Folded(words.chain, report.timeline, words.more_items, [&](const TimelineStep& step) {
    const std::string place = FileLine(step.file, step.line);
    return "- " + EscapeMarkdown(StepLine(step, words)) + (place.empty() ? "" : " " + MarkdownCode(place)) + "\n";
  });
  out.Folded(words.clocks, ClockNotes(report, words, TellsClock::kMisleading), words.more_items,
             [](const std::string& note) { return "- " + EscapeMarkdown(note) + "\n"; });
  if (failure) {
    out.Folded(words.fixes_elsewhere, report.causes.front().fixes_elsewhere, words.more_fixes, [&](const Fix& fix) {
      return "- " + EscapeMarkdown(StepText(FixLabel(fix, words) + fix.text, fix.host, words)) + "\n" +
             CommandBlock(fix.command, "  ");
    });
  }
  out.Folded(words.warnings, report.warnings, words.more_warnings, [&](const Warning& item) {
    std::string line = fmt::format("- {}: {}", MarkdownCode(item.id), EscapeMarkdown(item.text));
    if (!item.evidence.empty() && !item.evidence.front().file.empty()) {
      line += " " + MarkdownCode(FileLine(item.evidence.front().file, item.evidence.front().line));
    }
    return line + "\n";
  });
  out.Folded(report.verdict == Verdict::kUndetermined ? words.failing : words.consequences, report.consequences,
             words.more_items, [&](const Consequence& item) {
               std::string line = "- " + MarkdownCode(FileLine(item.file, item.line));
               if (item.count > 1)
                 line += fmt::format(" ({})", EscapeMarkdown(Filled(words.times, std::to_string(item.count))));
               return line + " " + MarkdownCode(EscapeTerminal(item.text)) + "\n";
             });
  out.Folded(words.harmless, report.harmless, words.more_items, [&](const HarmlessLine& item) {
    std::string line =
        "- " + MarkdownCode(FileLine(item.file, item.line)) + " " + MarkdownCode(EscapeTerminal(item.text));
    if (!item.why.empty()) line += std::string(words.why_separator) + EscapeMarkdown(item.why);
    return line + "\n";
  });
  out.Folded(words.ends_with, report.last_words, words.more_items, [&](const LastWord& item) {
    return "- " + MarkdownCode(FileLine(item.file, item.line)) + " " + MarkdownCode(EscapeTerminal(item.text)) + "\n";
  });
  const std::string job = JobSentence(report.job, words);
  // The footer tells what was read: without it nobody knows what "nothing failed" is worth.
  out.Add("\n" + (job.empty() ? "" : EscapeMarkdown(std::string(PrefixOfWidth(job, 600))) + "\n\n") +
              EscapeMarkdown(CoverageSentence(report.coverage, words)) + "\n",
          true);
  return out.Take();
}

}  // namespace ncclwhy

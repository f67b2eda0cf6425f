// One self-contained page: verdict, culprit and fix first, then the pictures, the lines and the rest. Nothing is loaded
// from anywhere and nothing of a log can run: the policy names the hashes of our own style and script.
#include <fmt/format.h>

#include <algorithm>

#include "analyze/answer_names.h"
#include "base/escape.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "ncclwhy/version.h"
#include "report/clock_words.h"
#include "report/decision_words.h"
#include "report/gathered_culprits.h"
#include "report/html_parts.h"
#include "report/outcome_sentence.h"
#include "report/phrases.h"
#include "report/proof.h"
#include "report/renderer.h"
#include "report/stamp_text.h"

namespace ncclwhy {
namespace {

constexpr size_t kFirstFixes = 2;
constexpr size_t kCommandColumns = 240;  // of the command line in the foot

// A public reference becomes a link; anything else stays text.
// https alone: javascript: and file: links of a log's text would run or lead somewhere.
std::string Reference(const std::string& url) {
  if (!url.starts_with("https://")) return EscapeHtml(url);
  return fmt::format("<a rel=\"noopener noreferrer\" href=\"{0}\">{0}</a>", EscapeHtml(url));
}

class Page {
 public:
  Page(const Report& report, const RenderOptions& options)
      : report_(report), options_(options), words_(WordsOf(options.language)) {}

  // The order is that of a reader in a hurry. Sections without content write nothing, not even their title.
  std::string Render() {
    Head();
    Top();
    // Evidence of the first cause has anchors (#e2), that of others has none: an id must not come twice.
    if (!report_.causes.empty()) Put(words_.evidence, HtmlEvidence(report_.causes.front().evidence, words_, "e"));
    const std::string story = StoryPicture(report_, words_);
    Put(words_.story, story.empty() ? story : story + Clocks(TellsClock::kDrawn));
    Put(words_.calls_differ, CallTablePicture(report_, words_));
    // Where calls are the axis of the story it shows them already.
    if (report_.axis != TrackAxis::kCalls) Put(words_.calls, CallsPicture(report_, words_));
    Put(words_.ranks, RankPicture(report_, words_));
    const std::string transports = TransportPicture(report_, words_);
    // A job that has communicators and no edges: the section says what to set, rather than being left out.
    const bool none = transports.empty() && !report_.job.communicators.empty();
    Put(words_.transports, none ? HtmlParagraph(words_.no_transports, "dim") : transports);
    out_ += HtmlCommunicators(report_, words_);
    out_ += HtmlEveryRank(report_, words_);
    Rest();
    out_ += fmt::format("<script>{}</script>\n</body>\n</html>\n", HtmlScript());
    return std::move(out_);
  }

 private:
  void Put(std::string_view title, const std::string& body) { out_ += HtmlSection(title, body); }

  void Head() {
    out_ += fmt::format(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{}'; "
        "script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"referrer\" content=\"no-referrer\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"generator\" content=\"ncclwhy\">\n"
        "<title>{}: {}</title>\n<style>{}</style>\n</head>\n<body>\n",
        // The hashes are of the very text that stands between the tags: with any change the browser would refuse it.
        words_.code, Sha256Base64(HtmlStyle()), Sha256Base64(HtmlScript()),
        EscapeHtml(VerdictWord(report_.verdict, words_)), EscapeHtml(SentenceOf(report_, words_)), HtmlStyle());
  }

  void Top() {
    const std::string_view name = VerdictName(report_.verdict);
    out_ += fmt::format("<div class=\"top {0}-box\">\n<h1><span class=\"verdict {0}\">{1}</span> {2}</h1>\n", name,
                        EscapeHtml(VerdictWord(report_.verdict, words_)), EscapeHtml(SentenceOf(report_, words_)));
    Outcomes();
    if (!report_.causes.empty()) {
      const Cause& cause = report_.causes.front();
      out_ += fmt::format("<p class=\"dim\">{} <code>{}</code> {}</p>\n", EscapeHtml(cause.title), EscapeHtml(cause.id),
                          EscapeHtml(Filled(words_.confidence, std::to_string(Percent(cause.confidence)))));
      Culprits(cause);
      if (NamedCause(report_) != nullptr) {
        if (!cause.sure.empty()) out_ += HtmlParagraph(Filled(words_.label, words_.why_sure) + cause.sure, "dim");
        Decide();
        out_ += HtmlFixes(cause, 0, kFirstFixes, words_);
        if (cause.fixes.size() > kFirstFixes) {
          out_ += fmt::format("<details><summary>{}</summary>\n{}</details>\n",
                              EscapeHtml(Counted(words_.more_fixes, cause.fixes.size() - kFirstFixes)),
                              HtmlFixes(cause, kFirstFixes, cause.fixes.size(), words_));
        }
        if (!cause.fixes_elsewhere.empty()) {
          out_ += fmt::format("<details><summary>{} ({})</summary>\n{}</details>\n", EscapeHtml(words_.fixes_elsewhere),
                              cause.fixes_elsewhere.size(), HtmlOtherFixes(cause.fixes_elsewhere, words_));
        }
        out_ += HtmlParagraph(cause.meaning);
      }
    }
    // Without a cause it is the next best: what it may be, and what to collect.
    if (NamedCause(report_) == nullptr) {
      Decide();
      out_ += HtmlCandidates(report_, words_) + HtmlCollects(report_, words_);
    }
    out_ += HtmlParagraph(JobSentence(report_.job, words_), "dim");
    // As Markdown and as Slack has it: the button puts it on the clipboard.
    out_ += "<p>" + HtmlCopyButton(words_.copy_markdown, ChatMessage(report_, words_, Chat::kMarkdown)) +
            HtmlCopyButton(words_.copy_slack, ChatMessage(report_, words_, Chat::kSlack)) + "</p>\n";
    out_ += "</div>\n";
    // The script hides what does not match; without scripts the field does nothing.
    out_ += fmt::format("<p><input id=\"q\" type=\"search\" placeholder=\"{0}\" aria-label=\"{0}\"></p>\n",
                        EscapeHtml(words_.search));
    out_ += fmt::format("<p id=\"none\" class=\"dim\" hidden>{}</p>\n", EscapeHtml(words_.nothing_matches));
  }

  std::string Clocks(TellsClock which) const {
    std::string out;
    for (const std::string& note : ClockNotes(report_, words_, which)) out += HtmlParagraph(note, "dim");
    return out;
  }

  // What became of the job, in a strip of its steps where they are known; each attempt; each of several jobs.
  void Outcomes() {
    if (const std::string outcome = OutcomeSentence(report_, words_); !outcome.empty()) {
      out_ += HtmlParagraph(Filled(words_.label, words_.outcome) + outcome);
    }
    std::string steps;
    for (TimelineStep step : report_.timeline) {
      // An alarm broke nothing; it is listed below.
      if (step.kind == "alarm") continue;
      const std::string place = PlaceInLine(report_, step.file, step.line);
      // The day stands in the foot.
      const std::string clock = step.time.empty() ? std::string() : ClockText(step.time);
      step.time.clear();
      steps += fmt::format("<li class=\"{}\">{}{}{}</li>\n", step.kind == "root" ? "root" : "step",
                           clock.empty() ? clock : fmt::format("<time>{}</time> ", EscapeHtml(clock)),
                           EscapeHtml(StepLine(step, words_)),
                           place.empty() ? place
                                         : fmt::format(" <code title=\"{}\">{}</code>",
                                                       EscapeHtml(FileLine(step.file, step.line)), EscapeHtml(place)));
    }
    if (!steps.empty()) {
      out_ += fmt::format("<ol class=\"strip\">\n{}</ol>\n", steps) + Clocks(TellsClock::kMisleading);
    }
    for (const std::string& line : AttemptLines(report_, words_)) out_ += HtmlParagraph(line, "dim");
    if (report_.jobs.empty()) return;
    out_ += HtmlParagraph(Filled(words_.label, words_.jobs) + std::to_string(report_.jobs.size()), "where");
    std::string jobs;
    for (size_t i = 0; i < report_.jobs.size(); ++i) {
      jobs += fmt::format("<li data-item=\"\">{}</li>\n", EscapeHtml(JobLine(i + 1, report_.jobs[i], words_)));
    }
    out_ += "<ul>\n" + jobs + "</ul>\n";
  }

  void Decide() {
    if (!report_.decision) return;
    out_ += HtmlParagraph(Filled(words_.label, words_.decision) + DecisionSentence(*report_.decision, words_)) +
            HtmlPre(report_.decision->command);
  }

  void Culprits(const Cause& cause) {
    // Four lines; the others are folded.
    const std::vector<Culprit> culprits = Gathered(cause.culprits, words_);
    for (size_t i = 0; i < culprits.size() && i < 4; ++i) {
      out_ += fmt::format("<p class=\"where\">{}</p>\n", EscapeHtml(CulpritSentence(culprits[i], words_)));
    }
    // The way from the claim to the lines that show it; the last part of a path tells files apart well enough.
    std::string places;
    size_t shown = 0;
    for (size_t i = 0; i < cause.evidence.size() && shown < 3; ++i) {
      const std::string place = FileLine(cause.evidence[i].file, cause.evidence[i].line);
      if (place.empty()) continue;
      // `#e2` is the id that HtmlEvidence gives the third line.
      places += fmt::format(" <a href=\"#e{}\"><code>{}</code></a>", i, EscapeHtml(place.substr(place.rfind('/') + 1)));
      ++shown;
    }
    if (!places.empty()) {
      out_ += fmt::format("<p class=\"dim\">{}{}</p>\n", EscapeHtml(Filled(words_.label, words_.evidence)), places);
    }
    if (culprits.size() <= 4) return;
    out_ +=
        fmt::format("<details><summary>{}</summary>\n", EscapeHtml(Counted(words_.more_culprits, culprits.size() - 4)));
    for (size_t i = 4; i < culprits.size(); ++i) out_ += HtmlParagraph(CulpritSentence(culprits[i], words_));
    out_ += "</details>\n";
  }

  void Rest() {
    const bool failure = NamedCause(report_) != nullptr;
    if (failure) {
      const Cause& cause = report_.causes.front();
      std::string confirm;
      for (const Confirm& item : cause.confirm) {
        confirm +=
            fmt::format("<li>{}{}</li>\n", EscapeHtml(StepText(item.text, item.host, words_)), HtmlPre(item.command));
      }
      Put(words_.confirm, confirm.empty() ? confirm : "<ul>\n" + confirm + "</ul>\n");
    }
    std::string others = failure ? HtmlParagraph(report_.causes.front().mistaken_for) : std::string();
    if (failure && !report_.causes.front().unproven.empty()) {
      others += HtmlParagraph(Filled(words_.label, words_.unproven) + report_.causes.front().unproven);
    }
    for (size_t i = failure ? 1 : 0; i < report_.causes.size(); ++i) {
      const Cause& cause = report_.causes[i];
      others += fmt::format(
          "<details><summary>{} <code>{}</code> {}</summary>\n{}{}{}</details>\n", EscapeHtml(cause.title),
          EscapeHtml(cause.id), EscapeHtml(Filled(words_.confidence, std::to_string(Percent(cause.confidence)))),
          HtmlParagraph(cause.why_not), HtmlParagraph(cause.summary), HtmlEvidence(cause.evidence, words_, {}));
    }
    Put(failure ? words_.alternatives : words_.candidates, others);
    if (failure) out_ += HtmlCandidates(report_, words_) + HtmlCollects(report_, words_);
    std::string seen;
    for (const SeenIncident& item : report_.seen_before) {
      seen += fmt::format("<li>{} {}</li>\n", EscapeHtml(SeenSentence(item, words_)), Reference(item.url));
    }
    Put(words_.seen_before, seen.empty() ? seen : "<ul>\n" + seen + "</ul>\n");
    out_ += HtmlConsequences(report_, words_);
    out_ += HtmlHarmless(report_, words_);
    out_ += HtmlLastWords(report_, words_);
    out_ += HtmlWarnings(report_, words_);
    std::string problems;
    for (const std::string& problem : report_.problems) problems += HtmlParagraph(problem);
    Put(words_.problems, problems);
    if (failure) {
      std::string references;
      for (const std::string& url : report_.causes.front().references)
        references += "<li>" + Reference(url) + "</li>\n";
      Put(words_.references, references.empty() ? references : "<ul>\n" + references + "</ul>\n");
    }
    out_ += "<hr>\n" + HtmlParagraph(CoverageSentence(report_.coverage, words_), "dim") + HtmlParagraph(Foot(), "dim");
  }

  // Which job, when and how long, and what wrote this.
  //   ncclwhy 0.1.0 · ncclwhy --format html logs/ · job_id 37 · 2026-11-22 11:08:59 – 11:09:16 (took 17 s)
  std::string Foot() const {
    std::string out = "ncclwhy " NCCLWHY_VERSION;
    // A shell may have made names of 512 files of a pattern.
    const std::string_view typed = PrefixOfWidth(options_.command, kCommandColumns);
    if (!typed.empty())
      out += fmt::format(" \xC2\xB7 {}{}", typed, typed.size() < options_.command.size() ? " \xE2\x80\xA6" : "");
    for (const EnvironmentFact& fact : report_.job.environment) {
      const bool shown = fact.name == "job_id" || fact.name == "job_name" || fact.name == "scheduler";
      if (shown) out += fmt::format(" \xC2\xB7 {} {}", fact.name, fact.value);
      if (fact.name == "command_line") out += " \xC2\xB7 " + fact.value;
    }
    if (report_.span) out += " \xC2\xB7 " + SpanText(*report_.span, words_);
    return out;
  }

  const Report& report_;
  const RenderOptions& options_;
  const Words& words_;
  std::string out_;
};

}  // namespace

std::string RenderHtml(const Report& report, const RenderOptions& options) { return Page(report, options).Render(); }

}  // namespace ncclwhy

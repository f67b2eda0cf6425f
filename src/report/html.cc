// One self-contained page: verdict, culprit and fix first, then the pictures, the lines and the rest. Nothing is loaded
// from anywhere and nothing of a log can run: the policy names the hashes of our own style and script.
#include <fmt/format.h>

#include <algorithm>

#include "analyze/answer_names.h"
#include "base/escape.h"
#include "base/sha256.h"
#include "ncclwhy/version.h"
#include "report/html_parts.h"
#include "report/phrases.h"
#include "report/renderer.h"

namespace ncclwhy {
namespace {

constexpr size_t kCommunicatorRows = 500;
constexpr size_t kFirstFixes = 2;
constexpr size_t kRankRows = 4096;

std::string Paragraph(std::string_view text, std::string_view css = {}) {
  if (text.empty()) return {};
  return fmt::format("<p{}>{}</p>\n", css.empty() ? std::string() : fmt::format(" class=\"{}\"", css),
                     EscapeHtml(text));
}

std::string Pre(std::string_view text) {
  return text.empty() ? std::string() : fmt::format("<pre>{}</pre>\n", EscapeHtml(text));
}

std::string Section(std::string_view title, const std::string& body) {
  return body.empty() ? std::string() : fmt::format("<h2>{}</h2>\n{}", EscapeHtml(title), body);
}

// A public reference becomes a link; anything else stays text.
std::string Reference(const std::string& url) {
  if (!url.starts_with("https://")) return EscapeHtml(url);
  return fmt::format("<a rel=\"noopener noreferrer\" href=\"{0}\">{0}</a>", EscapeHtml(url));
}

class Page {
 public:
  Page(const Report& report, const Words& words) : report_(report), words_(words) {}

  std::string Render() {
    Head();
    Top();
    if (!report_.causes.empty()) Put(words_.evidence, EvidenceList(report_.causes.front().evidence, "e"));
    Put(words_.story, StoryPicture(report_, words_));
    Put(words_.calls_differ, CallTablePicture(report_, words_));
    Put(words_.calls, CallsPicture(report_, words_));
    Put(words_.ranks, RankPicture(report_, words_));
    const std::string transports = TransportPicture(report_, words_);
    const bool none = transports.empty() && !report_.job.communicators.empty();
    Put(words_.transports, none ? Paragraph(words_.no_transports, "dim") : transports);
    Communicators();
    EveryRank();
    Rest();
    out_ += fmt::format("<script>{}</script>\n</body>\n</html>\n", HtmlScript());
    return std::move(out_);
  }

 private:
  void Put(std::string_view title, const std::string& body) { out_ += Section(title, body); }

  void Head() {
    out_ += fmt::format(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{}'; "
        "script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"referrer\" content=\"no-referrer\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"generator\" content=\"ncclwhy\">\n"
        "<title>{}: {}</title>\n<style>{}</style>\n</head>\n<body>\n",
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
        if (!cause.sure.empty()) out_ += Paragraph(Filled(words_.label, words_.why_sure) + cause.sure, "dim");
        Decide();
        out_ += Fixes(cause, 0, kFirstFixes);
        if (cause.fixes.size() > kFirstFixes) {
          out_ += fmt::format("<details><summary>{}</summary>\n{}</details>\n",
                              EscapeHtml(Counted(words_.more_fixes, cause.fixes.size() - kFirstFixes)),
                              Fixes(cause, kFirstFixes, cause.fixes.size()));
        }
        if (!cause.fixes_elsewhere.empty()) {
          out_ += fmt::format("<details><summary>{} ({})</summary>\n{}</details>\n", EscapeHtml(words_.fixes_elsewhere),
                              cause.fixes_elsewhere.size(), FixItems(cause.fixes_elsewhere));
        }
        out_ += Paragraph(cause.meaning);
      }
    }
    if (NamedCause(report_) == nullptr) {
      Decide();
      out_ += CandidateList() + CollectList();
    }
    out_ += Paragraph(JobSentence(report_.job, words_), "dim");
    out_ += "<p>" + CopyButton(words_.copy_markdown, ChatMessage(report_, words_, Chat::kMarkdown)) +
            CopyButton(words_.copy_slack, ChatMessage(report_, words_, Chat::kSlack)) + "</p>\n";
    out_ += "</div>\n";
    out_ += fmt::format("<p><input id=\"q\" type=\"search\" placeholder=\"{0}\" aria-label=\"{0}\"></p>\n",
                        EscapeHtml(words_.search));
    out_ += fmt::format("<p id=\"none\" class=\"dim\" hidden>{}</p>\n", EscapeHtml(words_.nothing_matches));
  }

  static std::string CopyButton(std::string_view label, std::string_view text) {
    return text.empty() ? std::string()
                        : fmt::format("<button type=\"button\" data-copy=\"{}\">{}</button> ", EscapeHtml(text),
                                      EscapeHtml(label));
  }

  // What became of the job, in a strip of its steps where they are known; each attempt; each of several jobs.
  void Outcomes() {
    if (const std::string outcome = OutcomeSentence(report_, words_); !outcome.empty()) {
      out_ += Paragraph(Filled(words_.label, words_.outcome) + outcome);
    }
    std::string steps;
    for (const TimelineStep& step : report_.timeline) {
      if (step.kind == "alarm") continue;
      const std::string place = FileLine(step.file, step.line);
      steps += fmt::format("<li class=\"{}\">{}{}</li>\n", step.kind == "root" ? "root" : "step",
                           EscapeHtml(StepLine(step, words_)),
                           place.empty() ? std::string() : fmt::format(" <code>{}</code>", EscapeHtml(place)));
    }
    if (!steps.empty()) out_ += fmt::format("<ol class=\"strip\">\n{}</ol>\n", steps);
    for (size_t i = 0; i < std::min<size_t>(report_.attempts.size(), 8); ++i) {
      out_ += Paragraph(AttemptLine(i + 1, report_.attempts[i], words_), "dim");
    }
    if (report_.jobs.empty()) return;
    out_ += Paragraph(Filled(words_.label, words_.jobs) + std::to_string(report_.jobs.size()), "where");
    std::string jobs;
    for (size_t i = 0; i < report_.jobs.size(); ++i) {
      jobs += fmt::format("<li data-item=\"\">{}</li>\n", EscapeHtml(JobLine(i + 1, report_.jobs[i], words_)));
    }
    out_ += "<ul>\n" + jobs + "</ul>\n";
  }

  void Decide() {
    if (!report_.decision) return;
    out_ += Paragraph(Filled(words_.label, words_.decision) + DecisionSentence(*report_.decision, words_)) +
            Pre(report_.decision->command);
  }

  std::string CandidateList() const {
    std::string out;
    for (const PossibleCause& item : report_.candidates) {
      std::string tells = item.tells.empty() ? item.tells : std::string(words_.why_separator) + item.tells;
      out += fmt::format("<li>{} <code>{}</code>{}{}</li>\n", EscapeHtml(item.title), EscapeHtml(item.id),
                         EscapeHtml(tells), Pre(item.command));
    }
    if (out.empty()) return out;
    return fmt::format("<p><b>{}</b></p>\n<ul>\n{}</ul>\n", EscapeHtml(words_.candidates), out);
  }

  std::string FixItems(const std::vector<Fix>& fixes) const {
    std::string out;
    for (const Fix& fix : fixes) {
      out += fmt::format("<li><b>{}</b>{}{}</li>\n", EscapeHtml(FixLabel(fix, words_)), EscapeHtml(fix.text),
                         Pre(fix.command));
    }
    return "<ul>\n" + out + "</ul>\n";
  }

  void Culprits(const Cause& cause) {
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
      places += fmt::format(" <a href=\"#e{}\"><code>{}</code></a>", i, EscapeHtml(place.substr(place.rfind('/') + 1)));
      ++shown;
    }
    if (!places.empty()) {
      out_ += fmt::format("<p class=\"dim\">{}{}</p>\n", EscapeHtml(Filled(words_.label, words_.evidence)), places);
    }
    if (culprits.size() <= 4) return;
    out_ +=
        fmt::format("<details><summary>{}</summary>\n", EscapeHtml(Counted(words_.more_culprits, culprits.size() - 4)));
    for (size_t i = 4; i < culprits.size(); ++i) out_ += Paragraph(CulpritSentence(culprits[i], words_));
    out_ += "</details>\n";
  }

  std::string Fixes(const Cause& cause, size_t begin, size_t end) const {
    std::string out;
    for (size_t i = begin; i < std::min(end, cause.fixes.size()); ++i) {
      const Fix& fix = cause.fixes[i];
      out += fmt::format("<li><b>{}</b>{}", EscapeHtml(FixLabel(fix, words_)), EscapeHtml(fix.text));
      if (!fix.cost.empty())
        out += fmt::format(" <span class=\"dim\">{}</span>", EscapeHtml(Filled(words_.cost, fix.cost)));
      out += Pre(fix.command);
      if (!fix.command.empty()) out += CopyButton(words_.copy, fix.command);
      out += "</li>\n";
    }
    if (out.empty()) return out;
    const std::string title = begin == 0 ? fmt::format("<p><b>{}</b></p>\n", EscapeHtml(words_.fix)) : std::string();
    return fmt::format("{}<ol start=\"{}\">\n{}</ol>\n", title, begin + 1, out);
  }

  std::string CollectList() const {
    std::string out;
    for (const Collect& item : report_.collect) {
      out += fmt::format("<li>{}{}</li>\n", EscapeHtml(item.what), Pre(item.command));
    }
    if (out.empty()) return out;
    return fmt::format("<p><b>{}</b></p>\n<ul>\n{}</ul>\n", EscapeHtml(words_.collect), out);
  }

  static std::string NumberedLine(uint64_t number, std::string_view text, bool itself) {
    return fmt::format("<span class=\"n\">{:>6}</span> {}{}{}\n", number, itself ? "<mark>" : "", EscapeHtml(text),
                       itself ? "</mark>" : "");
  }

  // The line among its neighbours.
  std::string Excerpt(const Evidence& item) const {
    if (item.context.empty()) return {};
    std::string lines;
    bool put = false;
    for (const ContextLine& near : item.context) {
      if (!put && near.line > item.line) {
        lines += NumberedLine(item.line, item.text, true);
        put = true;
      }
      lines += NumberedLine(near.line, near.text, false);
    }
    if (!put) lines += NumberedLine(item.line, item.text, true);
    return fmt::format("<details><summary>{}</summary><pre class=\"near\">{}</pre></details>\n",
                       EscapeHtml(words_.lines_around), lines);
  }

  // `anchor`: the items get the ids anchor0, anchor1, …
  std::string EvidenceList(const std::vector<Evidence>& evidence, std::string_view anchor = {}) const {
    std::string out;
    size_t number = 0;
    for (const Evidence& item : evidence) {
      const std::string place = FileLine(item.file, item.line);
      out += "<li data-item=\"\"";
      if (!anchor.empty()) out += fmt::format(" id=\"{}{}\"", anchor, number++);
      out += ">";
      if (!place.empty()) out += fmt::format("<code>{}</code> ", EscapeHtml(place));
      out += fmt::format("<span class=\"role\">{}</span>\n", EscapeHtml(RoleWord(item.role, words_)));
      out += Pre(item.text) + Paragraph(item.note) + Excerpt(item) + "</li>\n";
    }
    return out.empty() ? out : "<ul>\n" + out + "</ul>\n";
  }

  void Communicators() {
    if (report_.job.communicators.empty()) return;
    std::string rows;
    size_t shown = 0;
    for (const ReportCommunicator& comm : report_.job.communicators) {
      if (shown++ == kCommunicatorRows) break;
      rows +=
          fmt::format("<tr data-item=\"\"><td>{}</td><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                      comm.id, EscapeHtml(comm.comm_id), comm.nranks, comm.ranks_seen, EscapeHtml(comm.stage));
    }
    std::string body =
        fmt::format("<table><tr><th>#</th><th>commId</th><th>nranks</th><th>{}</th><th>{}</th></tr>\n{}</table>\n",
                    EscapeHtml(words_.seen), EscapeHtml(words_.stage), rows);
    if (report_.job.communicators.size() > kCommunicatorRows) {
      body += Paragraph(Counted(words_.more_items, report_.job.communicators.size() - kCommunicatorRows), "dim");
    }
    Put(words_.communicators, body);
  }

  // Pictures fold what is alike; here everybody can be found.
  void EveryRank() {
    if (report_.job.communicators.empty()) return;
    const std::vector<ReportRank>& ranks = report_.job.communicators.front().ranks;
    std::string rows;
    for (size_t i = 0; i < std::min(ranks.size(), kRankRows); ++i) {
      const ReportRank& rank = ranks[i];
      rows += fmt::format(
          "<tr data-item=\"\"{}><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td><code>{}</code> {}</td></tr>\n",
          IsBlamed(report_, rank) ? " class=\"where\"" : "", rank.rank, EscapeHtml(rank.host),
          rank.gpu >= 0 ? fmt::to_string(rank.gpu) : std::string(),
          EscapeHtml(rank.seen ? std::string_view(rank.stage) : words_.unseen),
          EscapeHtml(FileLine(rank.file, rank.last_line)), EscapeHtml(rank.last_text));
    }
    if (rows.empty()) return;
    out_ += fmt::format(
        "<details><summary>{}</summary>\n<table><tr><th>rank</th><th>{}</th><th>GPU</th><th>{}</th><th>{}</th></tr>\n"
        "{}</table>\n",
        EscapeHtml(words_.every_rank), EscapeHtml(words_.host), EscapeHtml(words_.stage), EscapeHtml(words_.last_line),
        rows);
    if (ranks.size() > kRankRows) out_ += Paragraph(Counted(words_.more_items, ranks.size() - kRankRows), "dim");
    out_ += "</details>\n";
  }

  void Rest() {
    const bool failure = NamedCause(report_) != nullptr;
    if (failure) {
      const Cause& cause = report_.causes.front();
      std::string confirm;
      for (const Confirm& item : cause.confirm) {
        confirm += fmt::format("<li>{}{}</li>\n", EscapeHtml(item.text), Pre(item.command));
      }
      Put(words_.confirm, confirm.empty() ? confirm : "<ul>\n" + confirm + "</ul>\n");
    }
    std::string others = failure ? Paragraph(report_.causes.front().mistaken_for) : std::string();
    if (failure && !report_.causes.front().unproven.empty()) {
      others += Paragraph(Filled(words_.label, words_.unproven) + report_.causes.front().unproven);
    }
    for (size_t i = failure ? 1 : 0; i < report_.causes.size(); ++i) {
      const Cause& cause = report_.causes[i];
      others += fmt::format("<details><summary>{} <code>{}</code> {}</summary>\n{}{}{}</details>\n",
                            EscapeHtml(cause.title), EscapeHtml(cause.id),
                            EscapeHtml(Filled(words_.confidence, std::to_string(Percent(cause.confidence)))),
                            Paragraph(cause.why_not), Paragraph(cause.summary), EvidenceList(cause.evidence));
    }
    Put(failure ? words_.alternatives : words_.candidates, others);
    if (failure) out_ += CandidateList() + CollectList();
    std::string seen;
    for (const SeenIncident& item : report_.seen_before) {
      seen += fmt::format("<li>{} {}</li>\n", EscapeHtml(SeenSentence(item, words_)), Reference(item.url));
    }
    Put(words_.seen_before, seen.empty() ? seen : "<ul>\n" + seen + "</ul>\n");
    Consequences();
    Harmless();
    Warnings();
    std::string problems;
    for (const std::string& problem : report_.problems) problems += Paragraph(problem);
    Put(words_.problems, problems);
    if (failure) {
      std::string references;
      for (const std::string& url : report_.causes.front().references)
        references += "<li>" + Reference(url) + "</li>\n";
      Put(words_.references, references.empty() ? references : "<ul>\n" + references + "</ul>\n");
    }
    out_ += "<hr>\n" + Paragraph(CoverageSentence(report_.coverage, words_), "dim") + Paragraph(Foot(), "dim");
  }

  // Which job, when, and what wrote this.
  std::string Foot() const {
    std::string out = "ncclwhy " NCCLWHY_VERSION;
    for (const EnvironmentFact& fact : report_.job.environment) {
      const bool shown = fact.name == "job_id" || fact.name == "job_name" || fact.name == "scheduler";
      if (shown) out += fmt::format(" · {} {}", fact.name, fact.value);
      if (fact.name == "command_line") out += " · " + fact.value;
    }
    std::string first;
    std::string last;
    double seconds = 0;
    for (const TimelineStep& step : report_.timeline) {
      if (step.time.empty()) continue;
      if (first.empty()) first = step.time;
      last = step.time;
      seconds = std::max(seconds, step.seconds);
    }
    if (!first.empty()) out += fmt::format(" · {} – {}", first, last);
    if (seconds > 0) out += fmt::format(" ({:.4g} s)", seconds);
    return out;
  }

  void Consequences() {
    std::string rows;
    for (const Consequence& item : report_.consequences) {
      rows += fmt::format("<tr data-item=\"\"><td><code>{}</code></td><td>{}</td><td><code>{}</code></td></tr>\n",
                          EscapeHtml(FileLine(item.file, item.line)), item.count, EscapeHtml(item.text));
    }
    if (!rows.empty())
      Put(report_.verdict == Verdict::kUndetermined ? words_.failing : words_.consequences,
          "<table>" + rows + "</table>\n");
  }

  void Harmless() {
    std::string items;
    for (const HarmlessLine& item : report_.harmless) {
      items += fmt::format(
          "<li data-item=\"\"><code>{}</code>{} <code>{}</code> {}</li>\n", EscapeHtml(FileLine(item.file, item.line)),
          item.count > 1 ? " (" + EscapeHtml(Filled(words_.times, std::to_string(item.count))) + ")" : "",
          EscapeHtml(item.text), EscapeHtml(item.why));
    }
    if (!items.empty()) Put(words_.harmless, "<ul>\n" + items + "</ul>\n");
  }

  void Warnings() {
    std::string items;
    for (const Warning& item : report_.warnings) {
      items += fmt::format("<li data-item=\"\"><code>{}</code> {}{}</li>\n", EscapeHtml(item.id), EscapeHtml(item.text),
                           EvidenceList(item.evidence));
    }
    if (!items.empty()) Put(words_.warnings, "<ul>\n" + items + "</ul>\n");
  }

  const Report& report_;
  const Words& words_;
  std::string out_;
};

}  // namespace

std::string RenderHtml(const Report& report, const RenderOptions& options) {
  return Page(report, WordsOf(options.language)).Render();
}

}  // namespace ncclwhy

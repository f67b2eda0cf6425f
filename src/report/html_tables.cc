// What there are many of: communicators, ranks, consequences, harmless lines, warnings.
#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "report/html_parts.h"
#include "report/phrases.h"

namespace ncclwhy {
namespace {

// A page of a few megabytes still opens in a browser; beyond that the rest is counted.
constexpr size_t kCommunicatorRows = 500;
constexpr size_t kRankRows = 4096;

}  // namespace

std::string HtmlCommunicators(const Report& report, const Words& words) {
  if (report.job.communicators.empty()) return {};
  std::string rows;
  size_t shown = 0;
  for (const ReportCommunicator& comm : report.job.communicators) {
    if (shown++ == kCommunicatorRows) break;
    rows +=
        fmt::format("<tr data-item=\"\"><td>{}</td><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                    comm.id, EscapeHtml(comm.comm_id), comm.nranks, comm.ranks_seen, EscapeHtml(comm.stage));
  }
  std::string body =
      fmt::format("<table><tr><th>#</th><th>commId</th><th>nranks</th><th>{}</th><th>{}</th></tr>\n{}</table>\n",
                  EscapeHtml(words.seen), EscapeHtml(words.stage), rows);
  if (report.job.communicators.size() > kCommunicatorRows) {
    body += HtmlParagraph(Counted(words.more_items, report.job.communicators.size() - kCommunicatorRows), "dim");
  }
  return HtmlSection(words.communicators, body);
}

// Pictures fold what is alike; here everybody can be found.
std::string HtmlEveryRank(const Report& report, const Words& words) {
  if (report.job.communicators.empty()) return {};
  // The largest communicator stands first: its ranks are those that everybody means.
  const std::vector<ReportRank>& ranks = report.job.communicators.front().ranks;
  std::string rows;
  for (size_t i = 0; i < std::min(ranks.size(), kRankRows); ++i) {
    const ReportRank& rank = ranks[i];
    rows += fmt::format(
        "<tr data-item=\"\"{}><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td><code>{}</code> {}</td></tr>\n",
        IsBlamed(report, rank) ? " class=\"where\"" : "", rank.rank, EscapeHtml(rank.host),
        rank.gpu >= 0 ? fmt::to_string(rank.gpu) : std::string(),
        EscapeHtml(rank.seen ? std::string_view(rank.stage) : words.unseen),
        EscapeHtml(FileLine(rank.file, rank.last_line)), EscapeHtml(rank.last_text));
  }
  if (rows.empty()) return {};
  std::string out = fmt::format(
      "<details><summary>{}</summary>\n<table><tr><th>rank</th><th>{}</th><th>GPU</th><th>{}</th><th>{}</th></tr>\n"
      "{}</table>\n",
      EscapeHtml(words.every_rank), EscapeHtml(words.host), EscapeHtml(words.stage), EscapeHtml(words.last_line), rows);
  if (ranks.size() > kRankRows) out += HtmlParagraph(Counted(words.more_items, ranks.size() - kRankRows), "dim");
  return out + "</details>\n";
}

std::string HtmlConsequences(const Report& report, const Words& words) {
  std::string rows;
  for (const Consequence& item : report.consequences) {
    rows += fmt::format("<tr data-item=\"\"><td><code>{}</code></td><td>{}</td><td><code>{}</code></td></tr>\n",
                        EscapeHtml(FileLine(item.file, item.line)), item.count, EscapeHtml(item.text));
  }
  if (rows.empty()) return {};
  // Without a cause these are the lines that fail, and not what followed.
  return HtmlSection(report.verdict == Verdict::kUndetermined ? words.failing : words.consequences,
                     "<table>" + rows + "</table>\n");
}

std::string HtmlHarmless(const Report& report, const Words& words) {
  std::string items;
  for (const HarmlessLine& item : report.harmless) {
    items += fmt::format("<li data-item=\"\"><code>{}</code>{} <code>{}</code> {}</li>\n",
                         EscapeHtml(FileLine(item.file, item.line)),
                         item.count > 1 ? " (" + EscapeHtml(Filled(words.times, std::to_string(item.count))) + ")" : "",
                         EscapeHtml(item.text), EscapeHtml(item.why));
  }
  return items.empty() ? items : HtmlSection(words.harmless, "<ul>\n" + items + "</ul>\n");
}

std::string HtmlLastWords(const Report& report, const Words& words) {
  std::string items;
  for (const LastWord& item : report.last_words) {
    items += fmt::format("<li data-item=\"\"><code>{}</code> <code>{}</code></li>\n",
                         EscapeHtml(FileLine(item.file, item.line)), EscapeHtml(item.text));
  }
  return items.empty() ? items : HtmlSection(words.ends_with, "<ul>\n" + items + "</ul>\n");
}

std::string HtmlWarnings(const Report& report, const Words& words) {
  std::string items;
  for (const Warning& item : report.warnings) {
    items += fmt::format("<li data-item=\"\"><code>{}</code> {}{}</li>\n", EscapeHtml(item.id), EscapeHtml(item.text),
                         HtmlEvidence(item.evidence, words, {}));
  }
  return items.empty() ? items : HtmlSection(words.warnings, "<ul>\n" + items + "</ul>\n");
}

}  // namespace ncclwhy

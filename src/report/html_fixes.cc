// What to do and what to look at: fixes, candidates, what to collect.
#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "report/html_parts.h"
#include "report/phrases.h"

namespace ncclwhy {

std::string HtmlCandidates(const Report& report, const Words& words) {
  std::string out;
  for (const PossibleCause& item : report.candidates) {
    std::string tells = item.tells.empty() ? item.tells : std::string(words.why_separator) + item.tells;
    out += fmt::format("<li>{} <code>{}</code>{}{}</li>\n", EscapeHtml(item.title), EscapeHtml(item.id),
                       EscapeHtml(tells), HtmlPre(item.command));
  }
  if (out.empty()) return out;
  return fmt::format("<p><b>{}</b></p>\n<ul>\n{}</ul>\n", EscapeHtml(words.candidates), out);
}

std::string HtmlOtherFixes(const std::vector<Fix>& fixes, const Words& words) {
  std::string out;
  for (const Fix& fix : fixes) {
    out += fmt::format("<li><b>{}</b>{}{}</li>\n", EscapeHtml(FixLabel(fix, words)),
                       EscapeHtml(StepText(fix.text, fix.host, words)), HtmlPre(fix.command));
  }
  return "<ul>\n" + out + "</ul>\n";
}

std::string HtmlFixes(const Cause& cause, size_t begin, size_t end, const Words& words) {
  std::string out;
  for (size_t i = begin; i < std::min(end, cause.fixes.size()); ++i) {
    const Fix& fix = cause.fixes[i];
    out += fmt::format("<li><b>{}</b>{}", EscapeHtml(FixLabel(fix, words)),
                       EscapeHtml(StepText(fix.text, fix.host, words)));
    if (!fix.cost.empty())
      out += fmt::format(" <span class=\"dim\">{}</span>", EscapeHtml(Filled(words.cost, fix.cost)));
    out += HtmlPre(fix.command);
    if (!fix.command.empty()) out += HtmlCopyButton(words.copy, fix.command);
    out += "</li>\n";
  }
  if (out.empty()) return out;
  // A list that goes on has no title again, and its numbers go on.
  const std::string title = begin == 0 ? fmt::format("<p><b>{}</b></p>\n", EscapeHtml(words.fix)) : std::string();
  return fmt::format("{}<ol start=\"{}\">\n{}</ol>\n", title, begin + 1, out);
}

std::string HtmlCollects(const Report& report, const Words& words) {
  std::string out;
  for (const Collect& item : report.collect) {
    out += fmt::format("<li>{}{}</li>\n", EscapeHtml(item.what), HtmlPre(item.command));
  }
  if (out.empty()) return out;
  return fmt::format("<p><b>{}</b></p>\n<ul>\n{}</ul>\n", EscapeHtml(words.collect), out);
}

}  // namespace ncclwhy

// Lines of the log that show something, each among its neighbours.
#include <fmt/format.h>

#include "base/escape.h"
#include "report/html_parts.h"
#include "report/phrases.h"

namespace ncclwhy {
namespace {

std::string NumberedLine(uint64_t number, std::string_view text, bool itself) {
  return fmt::format("<span class=\"n\">{:>6}</span> {}{}{}\n", number, itself ? "<mark>" : "", EscapeHtml(text),
                     itself ? "</mark>" : "");
}

// The line among its neighbours.
std::string Excerpt(const Evidence& item, const Words& words) {
  if (item.context.empty()) return {};
  std::string lines;
  bool put = false;
  // Neighbours in order, with the line itself where it belongs.
  for (const ContextLine& near : item.context) {
    if (!put && near.line > item.line) {
      lines += NumberedLine(item.line, item.text, true);
      put = true;
    }
    lines += NumberedLine(near.line, near.text, false);
  }
  if (!put) lines += NumberedLine(item.line, item.text, true);
  return fmt::format("<details><summary>{}</summary><pre class=\"near\">{}</pre></details>\n",
                     EscapeHtml(words.lines_around), lines);
}

}  // namespace

std::string HtmlEvidence(const std::vector<Evidence>& evidence, const Words& words, std::string_view anchor) {
  std::string out;
  size_t number = 0;
  for (const Evidence& item : evidence) {
    const std::string place = FileLine(item.file, item.line);
    out += "<li data-item=\"\"";
    // Numbered from 0, with items without a place counted: the links of the head count in the same way.
    if (!anchor.empty()) out += fmt::format(" id=\"{}{}\"", anchor, number++);
    out += ">";
    if (!place.empty()) out += fmt::format("<code>{}</code> ", EscapeHtml(place));
    out += fmt::format("<span class=\"role\">{}</span>\n", EscapeHtml(RoleWord(item.role, words)));
    out += HtmlPre(item.text) + HtmlParagraph(item.note) + Excerpt(item, words) + "</li>\n";
  }
  return out.empty() ? out : "<ul>\n" + out + "</ul>\n";
}

}  // namespace ncclwhy

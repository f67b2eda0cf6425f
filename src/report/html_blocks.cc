// What a page is built of: paragraphs, sections, verbatim text, buttons.
#include <fmt/format.h>

#include "base/escape.h"
#include "report/html_parts.h"

namespace ncclwhy {

std::string HtmlParagraph(std::string_view text, std::string_view css) {
  if (text.empty()) return {};
  return fmt::format("<p{}>{}</p>\n", css.empty() ? std::string() : fmt::format(" class=\"{}\"", css),
                     EscapeHtml(text));
}

std::string HtmlPre(std::string_view text) {
  return text.empty() ? std::string() : fmt::format("<pre>{}</pre>\n", EscapeHtml(text));
}

std::string HtmlSection(std::string_view title, const std::string& body) {
  return body.empty() ? std::string() : fmt::format("<h2>{}</h2>\n{}", EscapeHtml(title), body);
}

std::string HtmlCopyButton(std::string_view label, std::string_view text) {
  return text.empty() ? std::string()
                      // The text is in an attribute: the script never builds markup of it.
                      : fmt::format("<button type=\"button\" data-copy=\"{}\">{}</button> ", EscapeHtml(text),
                                    EscapeHtml(label));
}

}  // namespace ncclwhy

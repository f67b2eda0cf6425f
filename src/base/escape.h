// Escaping: text of a log is untrusted. Every output format passes it through exactly one of these.
//
// All of them accept any bytes and return valid UTF-8: invalid bytes become \xNN, control characters and code points
// that reorder or hide text (bidi controls, zero-width, tags) become visible escapes such as \x1b or \u202e.
//
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace ncclwhy {

// True for code points that must not reach a reader unseen: controls, bidi controls, zero-width and invisible
// characters, variation selectors, separators of lines, tags, private use, noncharacters. By Unicode's own properties
// (make_hidden_table.py).
bool IsHidden(char32_t code_point);

// One line without any hidden code point; a tab becomes a space, a newline \n. CI systems that read commands out of
// any line of output (`##[…]`, `##vso[…]`, `##teamcity[…]`, `::error …::`) see none in it.
std::string EscapeTerminal(std::string_view text);

// For element content and double- or single-quoted attributes of HTML.
std::string EscapeHtml(std::string_view text);

// For XML 1.0 content and attributes (characters that XML cannot hold are escaped as above). Newlines are kept.
std::string EscapeXml(std::string_view text);

// A whole JSON text, with every hidden code point written as \uXXXX: the same values, but nothing that a terminal or an
// editor obeys. `json` is valid JSON.
std::string EscapeJsonHidden(std::string_view json);

// Inline Markdown text: no formatting, HTML, links, mentions (@name) or issue references (#1) come out of it.
std::string EscapeMarkdown(std::string_view text);
// An inline code span with a fence that the text cannot close.
std::string MarkdownCode(std::string_view text);
// A fenced block (with a final newline); `language` is a tag of ours. Newlines are kept.
std::string MarkdownBlock(std::string_view text, std::string_view language);

// The data behind `::error …::` of a GitHub workflow command, and the value of one of its properties.
std::string EscapeGithubData(std::string_view text);
std::string EscapeGithubProperty(std::string_view text);

// One word for a POSIX shell; unchanged when it needs no quotes.
std::string ShellQuote(std::string_view text);

// The path of a URI: everything but unreserved characters and `/` percent-encoded.
std::string EscapeUriPath(std::string_view text);

}  // namespace ncclwhy

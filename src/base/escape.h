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
// A host called `node07` with a zero-width space in it looks like the real one and is another; a line with U+202E is
// read backwards.
bool IsHidden(char32_t code_point);

// One line without any hidden code point; a tab becomes a space, a newline \n. CI systems that read commands out of
// any line of output (`##[…]`, `##vso[…]`, `##teamcity[…]`, `::error …::`) see none in it.
//    ESC [2J node07 NCCL WARN   →   \x1b[2J node07 NCCL WARN
std::string EscapeTerminal(std::string_view text);

// For element content and double- or single-quoted attributes of HTML.
// Not for script, style or URLs: no text of a log is ever put there. Newlines are kept.
std::string EscapeHtml(std::string_view text);

// For XML 1.0 content and attributes (characters that XML cannot hold are escaped as above). Newlines are kept.
std::string EscapeXml(std::string_view text);

// A whole JSON text, with every hidden code point written as \uXXXX: the same values, but nothing that a terminal or an
// editor obeys. `json` is valid JSON.
std::string EscapeJsonHidden(std::string_view json);

// Inline Markdown text: no formatting, HTML, links, mentions (@name) or issue references (#1) come out of it.
// The result is one line, for a list item or a cell of a table. A text beginning with `-`, `+`, `=` or `1.` makes no
// list or heading.
std::string EscapeMarkdown(std::string_view text);
// An inline code span with a fence that the text cannot close.
// Empty for an empty text: two backticks alone would open a span.
std::string MarkdownCode(std::string_view text);
// A fenced block (with a final newline); `language` is a tag of ours. Newlines are kept.
std::string MarkdownBlock(std::string_view text, std::string_view language);

// The data behind `::error …::` of a GitHub workflow command, and the value of one of its properties.
// `%`, CR and LF are percent-encoded in both, colons and commas in a property as well: these end it.
std::string EscapeGithubData(std::string_view text);
std::string EscapeGithubProperty(std::string_view text);

// One word for a POSIX shell; unchanged when it needs no quotes.
// Hidden characters are written as escapes before that, so a command that is copied from a report holds what is seen.
std::string ShellQuote(std::string_view text);

// The path of a URI: everything but unreserved characters and `/` percent-encoded.
// Bytes, not code points: what is no UTF-8 comes through as it is on the disk.
std::string EscapeUriPath(std::string_view text);

}  // namespace ncclwhy

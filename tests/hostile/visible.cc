#include "hostile/visible.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/escape.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "report/html_parts.h"

namespace ncclwhy::hostile {
namespace {

std::string_view NextLine(std::string_view* rest) {
  const std::string_view line = rest->substr(0, rest->find('\n'));
  rest->remove_prefix(std::min(line.size() + 1, rest->size()));
  return line;
}

bool Contains(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }
bool Begins(std::string_view text, std::string_view what) { return text.substr(0, what.size()) == what; }

std::string Lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

// Valid UTF-8 without anything that a reader does not see; newlines are ours.
std::string Hidden(std::string_view text) {
  const size_t size = text.size();
  while (!text.empty()) {
    char32_t code = 0;
    const size_t n = DecodeUtf8(text, &code);
    if (n == 0) return "invalid UTF-8 at byte " + std::to_string(size - text.size());
    if (code != '\n' && IsHidden(code)) {
      return "hidden code point " + std::to_string(static_cast<uint32_t>(code)) + " at byte " +
             std::to_string(size - text.size());
    }
    text.remove_prefix(n);
  }
  return {};
}

// `::name …::` in front of a line, which is what GitHub's runner obeys.
bool BeginsCommand(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = NextLine(&text);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!Begins(line, "::") || line.size() < 3) continue;
    const size_t end = line.find("::", 2);
    const size_t name = line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", 2);
    if (end != std::string_view::npos && name != std::string_view::npos && name > 2) return true;
  }
  return false;
}

// Enough of XML to see whether something broke out of its place: tags nest, attributes are quoted, every & is an
// entity.
std::string Markup(std::string_view text, const std::vector<std::string_view>& void_elements) {
  std::vector<std::string> open;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '&') {
      const size_t end = text.find(';', at);
      if (end == std::string_view::npos || end - at > 10) return "a bare & at byte " + std::to_string(at);
      at = end + 1;
      continue;
    }
    if (text[at] == '>') return "a bare > at byte " + std::to_string(at);
    if (text[at] != '<') {
      ++at;
      continue;
    }
    size_t end = at + 1;
    for (char quote = 0; end < text.size() && (quote != 0 || text[end] != '>'); ++end) {
      if (quote != 0) {
        if (text[end] == '<') return "a < in an attribute at byte " + std::to_string(end);
        if (text[end] == quote) quote = 0;
      } else if (text[end] == '"' || text[end] == '\'') {
        quote = text[end];
      }
    }
    if (end >= text.size()) return "an element without end at byte " + std::to_string(at);
    const std::string_view tag = text.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.empty()) return "an empty element";
    if (tag[0] == '!' || tag[0] == '?') continue;
    const bool closes = tag[0] == '/';
    const std::string name(tag.substr(closes ? 1 : 0, tag.find_first_of(" \n/", 1) - (closes ? 1 : 0)));
    if (closes) {
      if (open.empty() || open.back() != name) return "</" + name + "> closes nothing";
      open.pop_back();
      // What stands in a style element is no markup.
    } else if (tag.back() != '/' &&
               std::find(void_elements.begin(), void_elements.end(), name) == void_elements.end()) {
      open.push_back(name);
      if (name == "style") at = std::min(text.find("</style", at), text.size());
    }
  }
  return open.empty() ? std::string() : "<" + open.back() + "> is not closed";
}

// The page has one script, which is ours to the last byte and the only one that its policy lets run.
std::string Html(std::string_view page) {
  std::string text(page);
  const std::string script = "<script>" + std::string(HtmlScript()) + "</script>";
  const size_t at_script = text.find(script);
  const size_t at_policy = text.find("script-src 'sha256-" + Sha256Base64(HtmlScript()) + "'");
  const size_t at_body = text.find("<body>");
  if (at_script == std::string::npos) return "our script is not there";
  if (at_policy == std::string::npos || at_policy > at_body) return "the policy does not name our script";
  text.erase(at_script, script.size());
  const std::string lower = Lower(text);
  for (const char* word :
       {"<script", "<iframe", "<img", "<object", "<embed", "<form", "<base", "<link", "http-equiv=\"refresh"}) {
    if (Contains(lower, word)) return std::string("it holds ") + word;
  }
  // Attributes of our elements: inside a tag, outside of quotes.
  for (size_t at = lower.find('<'); at != std::string::npos; at = lower.find('<', at + 1)) {
    bool quoted = false;
    for (size_t i = at; i < lower.size() && (quoted || lower[i] != '>'); ++i) {
      if (lower[i] == '"') quoted = !quoted;
      if (quoted) continue;
      if (lower.compare(i, 3, " on") == 0) return "an element has an event handler";
      if (lower.compare(i, 5, " src=") == 0) return "an element has a source";
      if (lower.compare(i, 17, " href=\"javascript") == 0) return "a link runs a script";
    }
  }
  return Markup(text, {"meta", "br", "hr", "input", "col", "wbr"});
}

// Workflow commands stand at the beginning of a line; only those that we print may.
std::string Github(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = NextLine(&text);
    const std::string_view bare = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    const std::string_view rest = bare.substr(std::min<size_t>(2, bare.size()));
    const bool command = Begins(bare, "::");
    if (command && !Begins(rest, "error") && !Begins(rest, "warning") && !Begins(rest, "notice")) {
      return "a foreign workflow command: " + std::string(bare);
    }
    if (command && Contains(rest.substr(0, rest.find("::")), ",file=,")) return "a broken property";
  }
  return {};
}

size_t RunOfTicks(std::string_view line, size_t at) {
  return std::min(line.find_first_not_of('`', at), line.size()) - std::min(at, line.size());
}

// A code span ends with a run of as many backticks as it began with.
std::string WithoutCodeSpans(std::string_view line) {
  std::string out;
  for (size_t i = 0; i < line.size();) {
    const size_t n = RunOfTicks(line, i);
    if (n == 0 || (i > 0 && line[i - 1] == '\\')) {
      out += line[i++];
      continue;
    }
    size_t end = i + n;
    while (end < line.size() && RunOfTicks(line, end) != n) end += std::max<size_t>(RunOfTicks(line, end), 1);
    if (end >= line.size()) {
      out.append(line.substr(i, n));
      i += n;
    } else {
      i = end + n;
    }
  }
  return out;
}

// Markdown without the stops of ours: a zero-width space behind a sign of a reference (`@`, `#`, `!`, `&amp;`, `GH-`
// …). One that stands elsewhere came from a log.
std::string WithoutStops(std::string_view text) {
  static constexpr std::string_view kStop = "\xE2\x80\x8B";
  std::string out;
  while (!text.empty()) {
    const bool stop = Begins(text, kStop) && !out.empty() && Contains("@#%;!~$-", std::string_view(&out.back(), 1));
    if (!stop) out += text.front();
    text.remove_prefix(stop ? kStop.size() : 1);
  }
  return out;
}

// Outside of code, Markdown shows HTML and links; inside nothing does.
std::string Markdown(std::string_view text) {
  size_t fence = 0;  // length of the run that opened a block
  while (!text.empty()) {
    const std::string_view line = NextLine(&text);
    const size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const size_t ticks = RunOfTicks(line, begin);
    // A fence that opens has no backtick behind its run: that would be a code span.
    const bool opens = ticks >= 3 && line.find('`', begin + ticks) == std::string_view::npos;
    if (fence == 0 && opens) {
      fence = ticks;
      continue;
    }
    if (fence > 0) {
      if (ticks >= fence && line.find_first_not_of(" `") == std::string_view::npos) fence = 0;
      continue;
    }
    const std::string lower = Lower(WithoutCodeSpans(line));
    for (const char* word : {"<script", "<img", "<iframe", "<a ", "](javascript", "]( javascript", "gh-1"}) {
      const size_t at = lower.find(word);
      if (at != std::string::npos && (at == 0 || lower[at - 1] != '\\')) return std::string("it holds ") + word;
    }
  }
  return fence == 0 ? std::string() : "a code block is not closed";
}

}  // namespace

std::string WhatIsWrong(std::string_view format, std::string_view text) {
  const std::string wrong = format == "markdown" ? Hidden(WithoutStops(text)) : Hidden(text);
  if (!wrong.empty()) return wrong;
  // Some CI systems obey these wherever they stand in a line of output.
  for (const char* command : {"##[", "##vso[", "##teamcity[", "##section["}) {
    if (Contains(text, command)) return "a workflow command in a line";
  }
  if (format != "github" && BeginsCommand(text)) return "a line that begins a workflow command";
  if (format == "json" || format == "sarif" || format == "trace")
    return nlohmann::json::accept(text) ? std::string() : "it is no JSON";
  if (format == "html") return Html(text);
  if (format == "junit") return Contains(text, "<!") ? "it declares something" : Markup(text, {});
  if (format == "github") return Github(text);
  if (format == "markdown") return Markdown(text);
  return {};
}

}  // namespace ncclwhy::hostile

#include "base/escape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"

namespace ncclwhy {
namespace {

struct HiddenRange {
  char32_t first, last;
};
constexpr HiddenRange kHidden[] = {
#include "base/hidden_code_points.inc"
};

// Of & < >, in element content.
std::string_view Entity(char32_t c) { return c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;"; }

// Calls `emit(code point, bytes)` for every visible code point and appends escapes for the rest. `keep_newlines` lets
// \n through to `emit`.
template <typename Emit>
void ForEachVisible(std::string_view text, bool keep_newlines, std::string* out, const Emit& emit) {
  while (!text.empty()) {
    char32_t c = 0;
    const size_t length = DecodeUtf8(text, &c);
    const std::string_view bytes = text.substr(0, std::max<size_t>(length, 1));
    text.remove_prefix(bytes.size());
    if (length == 0) {
      *out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[0]));
    } else if (c == '\n') {
      if (keep_newlines) {
        emit(c, bytes);
      } else {
        *out += "\\n";
      }
    } else if (c == '\t') {
      emit(U' ', std::string_view(" "));
    } else if (IsHidden(c)) {
      if (c < 0x100) {
        *out += fmt::format("\\x{:02x}", static_cast<uint32_t>(c));
      } else if (c < 0x10000) {
        *out += fmt::format("\\u{:04x}", static_cast<uint32_t>(c));
      } else {
        *out += fmt::format("\\U{:08x}", static_cast<uint32_t>(c));
      }
    } else {
      emit(c, bytes);
    }
  }
}

// One line, or several where newlines are kept, of valid UTF-8.
std::string Visible(std::string_view text, bool keep_newlines) {
  std::string out;
  out.reserve(text.size());
  ForEachVisible(text, keep_newlines, &out, [&](char32_t, std::string_view bytes) { out.append(bytes); });
  return out;
}

// The length of the longest run of backticks.
// A fence has to be longer than any run within, so that no line of a log closes it.
size_t LongestTicks(std::string_view text) {
  size_t longest = 0;
  size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

// `##[…]`, `##vso[…]`, `##teamcity[…]` at `at`.
bool IsSharpCommand(std::string_view text, size_t at) {
  if (text.substr(at, 2) != "##") return false;
  size_t i = at + 2;
  while (i < text.size() && IsAlnum(text[i])) ++i;
  return i < text.size() && text[i] == '[';
}

// `::name …::` at `at`: obeyed where it begins a line, which a page that breaks long lines may make of any place. So
// the names that GitHub knows count anywhere, others (a token of stop-commands) only where a word begins:
// c10d::Backend::x.
bool IsColonCommand(std::string_view text, size_t at) {
  if (text.substr(at, 2) != "::") return false;
  size_t i = at + 2;
  std::string name;
  while (i < text.size() && (IsAlnum(text[i]) || text[i] == '-' || text[i] == '_')) {
    name += static_cast<char>(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]);
    ++i;
  }
  const size_t line = std::min(text.find('\n', at), text.size());
  if (name.empty() || text.substr(0, line).find("::", i) == std::string_view::npos) return false;
  constexpr std::string_view kNames =
      " add-mask add-matcher add-path debug echo endgroup error group notice remove-matcher save-state set-env "
      "set-output"
      " stop-commands warning ";
  if (kNames.find(" " + name + " ") != std::string_view::npos) return true;
  // Its properties or its end come next; an address goes on: localGid ::ffff:10.0.0.5
  if (text[i] != ' ' && text.substr(i, 2) != "::") return false;
  return at == 0 || text[at - 1] == ' ' || text[at - 1] == '\n';
}

// What CI systems find in any line of an output and obey. `sharp` and `colon` are what stands for the second # and the
// first colon then.
// Behind a replacement the search goes on: `##[` that an escape would make is none, as escapes begin with a backslash
// or an ampersand.
std::string WithoutCommands(std::string out, std::string_view sharp = "\\x23", std::string_view colon = "\\x3a") {
  // Nearly every text has neither: two quick looks, and not one at each colon of a large JSON document.
  const size_t first = std::min(out.find("##"), out.find("::"));
  for (size_t at = first; at != std::string::npos; at = out.find_first_of("#:", at + 1)) {
    if (IsSharpCommand(out, at)) {
      out.replace(at + 1, 1, sharp);
    } else if (IsColonCommand(out, at)) {
      out.replace(at, 1, colon);
      at += colon.size();
    }
  }
  return out;
}

// Element content and attributes alike: both kinds of quotes are escaped, also where they need not be.
std::string EscapeMarkup(std::string_view text, bool keep_newlines) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  ForEachVisible(text, keep_newlines, &out, [&](char32_t c, std::string_view bytes) {
    switch (c) {
      case '&':
      case '<':
      case '>':
        out += Entity(c);
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out.append(bytes);
    }
  });
  return WithoutCommands(std::move(out), "&#35;", "&#58;");
}

// How many bytes at the beginning of `json` are neither DEL nor of a longer code point. Eight at a time.
size_t LengthOfAsciiShown(std::string_view json) {
  constexpr uint64_t kHigh = 0x8080808080808080, kOnes = 0x0101010101010101;
  size_t n = 0;
  for (uint64_t eight; n + sizeof(eight) <= json.size(); n += sizeof(eight)) {
    std::memcpy(&eight, json.data() + n, sizeof(eight));
    // One more than 0x7f has the high bit, too.
    if (((eight | (eight + kOnes)) & kHigh) != 0) break;
  }
  while (n < json.size() && static_cast<signed char>(json[n]) >= 0 && json[n] != '\x7f') ++n;
  return n;
}

// `characters`: those that mean something to whoever reads the result; all others are left as they are.
std::string PercentEncode(std::string_view text, std::string_view characters) {
  std::string out;
  for (const char c : text) {
    if (characters.find(c) != std::string_view::npos) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out.push_back(c);
    }
  }
  return out;
}

}  // namespace

bool IsHidden(char32_t c) {
  if (c >= 0x20 && c < 0x7F) return false;
  // kHidden is sorted and its ranges do not overlap, so the first one that does not end before `c` decides.
  const auto* const range = std::upper_bound(std::begin(kHidden), std::end(kHidden), c,
                                             [](char32_t point, const HiddenRange& r) { return point <= r.last; });
  return range != std::end(kHidden) && range->first <= c;
}

std::string EscapeJsonHidden(std::string_view json) {
  std::string out;
  // Bytes that do not decode are left: the text is valid JSON, where they cannot be.
  out.reserve(json.size());
  while (!json.empty()) {
    const size_t plain = LengthOfAsciiShown(json);
    out.append(json.substr(0, plain));
    json.remove_prefix(plain);
    if (json.empty()) break;
    char32_t c = 0;
    const size_t n = std::max<size_t>(DecodeUtf8(json, &c), 1);
    if (n == 1 ? json[0] != '\x7f' : !IsHidden(c)) {
      out.append(json.substr(0, n));
    } else if (c < 0x10000) {
      out += fmt::format("\\u{:04x}", static_cast<uint32_t>(c));
    } else {
      const auto above = static_cast<uint32_t>(c) - 0x10000;
      out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (above >> 10), 0xDC00 + (above & 0x3FF));
    }
    json.remove_prefix(n);
  }
  return WithoutCommands(std::move(out), "\\u0023", "\\u003a");
}

std::string EscapeTerminal(std::string_view text) {
  std::string out = Visible(text, false);
  return WithoutCommands(std::move(out));
}

std::string EscapeHtml(std::string_view text) { return EscapeMarkup(text, true); }

std::string EscapeXml(std::string_view text) { return EscapeMarkup(text, true); }

std::string EscapeMarkdown(std::string_view text) {
  // A zero-width space behind @, # and the other signs of references (!1, $1, %1, ~label, &1, GH-1, ABC-1) stops GitHub
  // and GitLab from making mentions and references of entities, too.
  static constexpr std::string_view kStop = "\xE2\x80\x8B";
  std::string out;
  char32_t previous = 0;
  bool letters = false, digits = false;  // a stop is due in front of a letter or digit, of a digit
  ForEachVisible(text, false, &out, [&](char32_t c, std::string_view bytes) {
    const bool first = out.empty();
    const bool digit = c >= '0' && c <= '9';
    if ((letters && c < 0x80 && (digit || c == '"' || IsAlnum(static_cast<char>(c)))) || (digits && digit))
      out += kStop;
    letters = std::u32string_view(U"@#%&!~$").find(c) != std::u32string_view::npos;
    digits = c == '-' && ((previous >= 'A' && previous <= 'Z') || previous == 'h');
    switch (c) {
      case '&':
      case '<':
      case '>':
        out += Entity(c);
        break;
      case '-':  // list items and underlined headings, and GH-123
      case '+':
      case '=':
        if (first) out.push_back('\\');
        out.append(bytes);
        break;
      case '/':  // http://…
        if (previous == ':') out.insert(out.size() - 1, 1, '\\');
        out.append(bytes);
        break;
      case '.':  // www.…, and 1. at the beginning
        if (previous == 'w' || previous == 'W' || out.size() < 4) out.push_back('\\');
        out.append(bytes);
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '{':
      case '}':
      case '[':
      case ']':
      case '!':
      case '|':
      case '~':
      case '$':
        out.push_back('\\');
        out.append(bytes);
        break;
      default:
        out.append(bytes);
    }
    previous = c;
  });
  return WithoutCommands(std::move(out), "&#35;", "&#58;");
}

// A space or a backtick at an end is taken for a part of the fence; CommonMark drops one blank at each end, which is
// why two are put there.
std::string MarkdownCode(std::string_view text) {
  const std::string visible = WithoutCommands(Visible(text, false));
  if (visible.empty()) return {};
  const std::string ticks(LongestTicks(visible) + 1, '`');
  const bool pad = visible.front() == '`' || visible.back() == '`' || visible.front() == ' ' || visible.back() == ' ';
  return ticks + (pad ? " " : "") + visible + (pad ? " " : "") + ticks;
}

std::string MarkdownBlock(std::string_view text, std::string_view language) {
  const std::string visible = WithoutCommands(Visible(text, true));
  const std::string fence(std::max<size_t>(LongestTicks(visible) + 1, 3), '`');
  return fmt::format("{}{}\n{}{}{}\n", fence, language, visible, visible.empty() || visible.back() == '\n' ? "" : "\n",
                     fence);
}

std::string EscapeGithubData(std::string_view text) {
  return PercentEncode(WithoutCommands(Visible(text, true)), "%\r\n");
}

std::string EscapeGithubProperty(std::string_view text) {
  return PercentEncode(WithoutCommands(Visible(text, true)), "%\r\n:,");
}

std::string ShellQuote(std::string_view text) {
  // Characters that mean nothing to a shell wherever they stand in a word; a tilde or an equals sign may.
  const auto plain = [](char c) {
    return IsAlnum(c) || std::string_view("_@%+:,./-").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::string out = "'";
  // Within single quotes nothing is special but the quote itself: it ends them, stands escaped, and begins them anew.
  // it's   →   'it'\''s'
  for (const char c : Visible(text, true)) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out.push_back(c);
    }
  }
  return out + "'";
}

std::string EscapeUriPath(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (IsAlnum(c) || std::string_view("-._~/").find(c) != std::string_view::npos) {
      out.push_back(c);
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace ncclwhy

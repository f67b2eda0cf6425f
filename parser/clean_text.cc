#include "parser/clean_text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/numbers.h"
#include "base/utf8.h"
#include "base/word_finder.h"
#include "parser/scan.h"
#include "parser/timestamp.h"

namespace ncclwhy {
namespace {

// Length of an escape sequence at `at` (which holds ESC), at least 1.
size_t EscapeLength(std::string_view text, size_t at) {
  if (at + 1 >= text.size()) return 1;
  size_t i = at + 2;
  if (text[at + 1] == '[') {
    // Digits, semicolons, the question mark of private modes and the blank of cursor shapes: `ESC[?25l`, `ESC[2 q`.
    while (i < text.size() && (scan::IsDigit(text[i]) || text[i] == ';' || text[i] == '?' || text[i] == ' ')) ++i;
    return i < text.size() ? i + 1 - at : i - at;
  }
  // Buildkite's stamp of a line, which is a prefix (outer_prefix.cc), behind ESC: `_bk;t=1749061321249` BEL.
  if (at == 0 && scan::StartsWith(text.substr(1), "_bk;t=")) return 1;
  // A title, or what else a terminal keeps to itself: ends with BEL or ESC backslash.
  if (std::string_view("]_P^X").find(text[at + 1]) != std::string_view::npos) {
    while (i < text.size() && text[i] != '\a' && text[i] != '\x1b') ++i;
    if (i < text.size() && text[i] == '\x1b') ++i;
    // One that nothing ends would take the rest of the line with it.
    if (i < text.size()) return i + 1 - at;
  }
  return 2;
}

// Pasted out of a browser the byte ESC is lost and its letters stay. Twelve digits and semicolons are more than any
// colour has, `[38;5;208m`; text in brackets that ends in m is rare.
// Length of `[36m`, `[0m`, `[1;31m` at `at`, or 0.
size_t LostEscapeLength(std::string_view text, size_t at) {
  size_t i = at + 1;
  while (i < text.size() && (scan::IsDigit(text[i]) || text[i] == ';')) ++i;
  const size_t digits = i - at - 1;
  return digits > 0 && digits <= 12 && i < text.size() && text[i] == 'm' ? i + 1 - at : 0;
}

// Eight bytes at a time: a value of a megabyte without an escape is passed like plain text.
// The next quote or backslash in `text` at or behind `at`, or its end.
size_t QuoteOrEscape(std::string_view text, size_t at) {
  for (; at + sizeof(uint64_t) <= text.size(); at += sizeof(uint64_t)) {
    const uint64_t word = swar::Load(text.data() + at);
    const uint64_t found = ~(swar::Outside(word, '"', '"') & swar::Outside(word, '\\', '\\')) & swar::kHighs;
    if (found != 0) return at + swar::Before(found);
  }
  while (at < text.size() && text[at] != '"' && text[at] != '\\') ++at;
  return at;
}

// The raw (still escaped) value of a string member; empty when there is none.
std::string_view JsonMember(std::string_view object, std::string_view key) {
  size_t at = 0;
  while ((at = scan::Find(object, key, at)) != std::string_view::npos) {
    scan::Cursor c(object.substr(at + key.size()));
    at += key.size();
    c.SkipSpaces();
    // The name may stand as a value as well: {"key":"log"}. It counts with a colon and a text behind it.
    if (!c.Char(':')) continue;
    c.SkipSpaces();
    if (!c.Char('"')) continue;
    const std::string_view rest = c.Rest();
    size_t end = QuoteOrEscape(rest, 0);
    while (end < rest.size() && rest[end] != '"') end = QuoteOrEscape(rest, end + 2);
    return rest.substr(0, end);
  }
  return {};
}

// `\n` becomes a blank: a record stays one line whatever its writer put into it. Carriage returns and the like only
// moved a cursor. Of an unknown escape the character stays.
void Unescape(std::string_view raw, std::string& out) {
  out.clear();
  for (size_t i = 0; i < raw.size(); ++i) {
    const size_t escape = raw.find('\\', i);
    if (escape >= raw.size() - 1) {  // none, or nothing behind it
      out.append(raw.substr(i));
      return;
    }
    out.append(raw.substr(i, escape - i));
    i = escape + 1;
    switch (raw[i]) {
      case 'n':
        if (i + 1 < raw.size()) out.push_back(' ');  // an inner newline; the final one is dropped
        break;
      case 't':
        out.push_back('\t');
        break;
      case 'r':
      case 'b':
      case 'f':
        break;
      case 'u': {
        uint64_t code = 0;
        scan::Cursor c(raw.substr(i + 1, 4));
        if (raw.size() - i > 4 && c.Hex(&code) && c.AtEnd()) {
          AppendUtf8(static_cast<char32_t>(code), &out);
          i += 4;
        }
        break;
      }
      default:
        out.push_back(raw[i]);
    }
  }
}

}  // namespace

std::string_view StripAnsi(std::string_view text, std::string& scratch) {
  // Without ESC only a line that ends a colour somewhere, or begins with one, is taken for pasted colours:
  //   [36m(RayTrainWorker pid=812)[0m node07:812:4802 [3] NCCL INFO …
  // `a[0m` in an expression of a program loses three characters, which nobody misses.
  const bool escapes = std::memchr(text.data(), '\x1b', text.size()) != nullptr;
  const bool lost = scan::Contains(text, "[0m") || (!text.empty() && text[0] == '[' && LostEscapeLength(text, 0) > 0);
  if (!escapes && !lost) return text;
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    size_t n = 0;
    if (text[i] == '\x1b') {
      n = EscapeLength(text, i);
    } else if (lost && text[i] == '[') {
      n = LostEscapeLength(text, i);
    }
    if (n == 0) {
      out.push_back(text[i++]);
    } else {
      i += n;
    }
  }
  scratch = std::move(out);
  return scratch;
}

std::string_view DecodeEntities(std::string_view text, std::string& scratch) {
  static constexpr std::pair<std::string_view, char> kEntities[] = {{"&lt;", '<'},   {"&gt;", '>'},   {"&amp;", '&'},
                                                                    {"&quot;", '"'}, {"&#39;", '\''}, {"&#x27;", '\''},
                                                                    {"&nbsp;", ' '}};
  // `&` alone is common, in URLs and shells: only a whole name makes a copy of the line.
  bool any = false;
  for (size_t at = scan::Find(text, "&"); at != std::string_view::npos && !any; at = scan::Find(text, "&", at + 1)) {
    for (const auto& [name, c] : kEntities) any = any || scan::StartsWith(text.substr(at), name);
  }
  if (!any) return text;
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    bool replaced = false;
    if (text[i] == '&') {
      for (const auto& [name, c] : kEntities) {
        if (!scan::StartsWith(text.substr(i), name)) continue;
        out.push_back(c);
        i += name.size();
        replaced = true;
        break;
      }
    }
    if (!replaced) out.push_back(text[i++]);
  }
  scratch = std::move(out);
  return scratch;
}

namespace {

// Names that a collector gives to what it knows of a line; one pass tells which of them a record has.
//   {"labels":{"pod":"w-3"},"line":"text","timestamp":"…"} of Loki, {"_msg":"text","_stream":"{…}","_time":"…"}
constexpr std::string_view kMembers[] = {
    // of the line
    "\"log\"", "\"message\"", "\"textPayload\"", "\"MESSAGE\"", "\"_msg\"", "\"@message\"", "\"_raw\"",
    // of the line as well, but words that a program uses for its own: they need a collector's member beside them
    "\"line\"", "\"body\"", "\"content\"",
    // of a collector
    "\"labels\":", "\"kubernetes\":", "\"resource\":", "\"ingestionTime\":",
    // of the time
    "\"time\"", "\"@timestamp\"", "\"timestamp\"", "\"_time\"",
    // of where it comes from
    "\"stream\"", "\"pod_name\"", "\"pod\"", "\"_HOSTNAME\"", "\"hostname\"",
    "\"compute.googleapis.com/resource_name\"", "\"resourceName\""};
constexpr size_t kLine = 0, kUnsureLine = 7, kCollector = 10, kTime = 14, kStream = 18, kPodName = 19, kPod = 20,
                 kHostName = 21, kResource = 24;
// The indices above are written by hand: a name that is put in at the wrong place would make a pod of a time.
static_assert(std::size(kMembers) == kResource + 1 && kMembers[kHostName] == "\"_HOSTNAME\"" &&
              kMembers[kUnsureLine] == "\"line\"" && kMembers[kCollector] == "\"labels\":" &&
              kMembers[kTime] == "\"time\"" && kMembers[kStream] == "\"stream\"");
constexpr WordFinder kMemberFinder(kMembers);

class JsonMembers {
 public:
  explicit JsonMembers(std::string_view json) : json_(json), there_(kMemberFinder.Find(json)) {}
  // Whether one of the names [begin, end) is there.
  bool Any(size_t begin, size_t end) const { return (there_ >> begin & ((uint64_t{1} << (end - begin)) - 1)) != 0; }
  std::string_view Get(size_t member) const {
    return Any(member, member + 1) ? JsonMember(json_, kMembers[member]) : std::string_view();
  }
  // The first of the names [begin, end) that has a text.
  std::string_view FirstOf(size_t begin, size_t end) const {
    for (; begin < end; ++begin) {
      const std::string_view raw = Get(begin);
      if (raw.data() != nullptr) return raw;
    }
    return {};
  }

 private:
  std::string_view json_;
  uint64_t there_;
};

// Ten digits, maybe with a fraction.
bool IsSeconds(std::string_view text) {
  constexpr size_t kDigits = 10;
  if (text.size() < kDigits || text[0] != '1' || scan::DigitsAt(text, 0) != kDigits) return false;
  return text.size() == kDigits ||
         (text[kDigits] == '.' && scan::DigitsAt(text, kDigits + 1) == text.size() - kDigits - 1);
}

// When a program's own record was written, by one of its first members: a stamp as a text, or seconds or milliseconds
// since 1970. Asked of every line of such a log, so nothing is looked for further behind.
//   {"ts": 1795345798.551, "level": "ERROR", …}      {"level":"info","time":"2026-11-22T11:09:58Z", …}
std::string_view StampOfRecord(std::string_view json) {
  constexpr std::string_view kNames[] = {"ts", "time", "timestamp", "@timestamp", "asctime"};
  constexpr int kFirstMembers = 3;
  const auto next = [&](size_t from, auto is) {  // byte by byte: what is looked for is near
    while (from < json.size() && !is(json[from])) ++from;
    return from;
  };
  const auto quote = [](char c) { return c == '"'; };
  size_t at = 1;
  for (int member = 0; member < kFirstMembers; ++member) {
    const size_t begin = next(at, quote) + 1;
    const size_t end = next(begin, quote);
    at = next(end + 1, [](char c) { return c != ':' && c != ' '; });
    if (at >= json.size()) return {};
    const std::string_view name = json.substr(begin, end - begin);
    const bool text = json[at] == '"';
    if (text) ++at;
    const size_t close = text ? next(at, quote) : next(at, [](char c) { return c == ',' || c == '}' || c == ' '; });
    if (std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames)) {
      const std::string_view stamp = json.substr(at, close - at);
      // "time": 12.5 is none.
      return IsSeconds(stamp) || TimestampLength(stamp, nullptr) > 0 ? stamp : std::string_view();
    }
    at = close + (text ? 1 : 0);
  }
  return {};
}

// What journald writes of a message that is not printable, as one in colour is: the bytes as numbers.
//   {"MESSAGE":[27,91,51,49,109,69,114,114],"_PID":"411"}
bool BytesOf(std::string_view json, std::string& bytes) {
  constexpr std::string_view kName = "\"MESSAGE\"";
  size_t at = json.find(kName);
  if (at == std::string_view::npos) return false;
  at = json.find_first_not_of(" :", at + kName.size());
  // Numbers up to 255, with commas: anything else in the brackets is a list of a program, {"MESSAGE":["a","b"]}.
  if (at == std::string_view::npos || json[at] != '[') return false;
  bytes.clear();
  for (++at; at < json.size() && json[at] != ']';) {
    const size_t digits = scan::DigitsAt(json, at);
    const auto byte = ParseInt<uint8_t>(json.substr(at, digits));
    if (!byte) return false;
    bytes.push_back(static_cast<char>(*byte));
    at = json.find_first_not_of(" ,", at + digits);
  }
  return !bytes.empty();
}

}  // namespace

// {"log":"text\n","stream":"stderr","time":"2025-03-01T12:00:00Z"}
bool ParseJsonLog(std::string_view text, std::string& scratch, JsonLog* out) {
  // Most lines begin with neither, and cost two comparisons here.
  if (text.size() < 10 || text[0] != '{' || text[1] != '"') return false;
  const JsonMembers members(text);
  std::string_view raw = members.FirstOf(kLine, kUnsureLine);
  // {"line":7,"step":3} is a program's record of its own; with labels beside it, it is a collector's.
  if (raw.data() == nullptr && members.Any(kCollector, kTime)) raw = members.FirstOf(kUnsureLine, kCollector);
  if (raw.data() != nullptr) {
    // A view without data is a member that is not there; an empty text is one, and makes an empty line.
    Unescape(raw, scratch);
  } else if (!members.Any(kLine, kUnsureLine) || !BytesOf(text, scratch)) {
    out->time = StampOfRecord(text);
    return false;
  }
  out->text = scratch;
  // The newline of `"text\n"` has become a blank above.
  while (!out->text.empty() && (out->text.back() == ' ' || out->text.back() == '\n')) out->text.remove_suffix(1);
  for (size_t time = kTime; time < kStream && out->time.empty(); ++time) out->time = members.Get(time);
  if (out->time.empty()) out->time = StampOfRecord(text);
  out->stream = members.Get(kStream);
  out->pod = members.Get(kPodName);
  if (out->pod.empty()) out->pod = members.Get(kPod);
  out->host = members.FirstOf(kHostName, kResource);
  // "projects/ml/zones/europe-west4-b/instances/trainer-1", in Google's audit log of machines
  if (out->host.empty()) out->host = scan::After(members.Get(kResource), "/instances/");
  return true;
}

bool IsValidUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      uint64_t word = 0;
      // ASCII, eight bytes at a time: most of nearly every line.
      for (++i; i + 8 <= text.size(); i += 8) {
        std::memcpy(&word, text.data() + i, 8);
        if ((word & 0x8080808080808080ull) != 0) break;
      }
      continue;
    }
    // Most are Chinese or bars, in runs: 1110xxxx 10xxxxxx 10xxxxxx.
    if (i + sizeof(uint64_t) <= text.size()) {
      const uint64_t word = swar::Load(text.data() + i);
      const uint64_t range = word & 0x200F;  // 0: too long for what it says; 0x200D: half of a pair
      if ((word & 0xC0C0F0) == 0x8080E0 && range != 0 && range != 0x200D) {
        i += 3;
        continue;
      }
    }
    const size_t n = c >= 0xF0 && c < 0xF5 ? 3 : c >= 0xE0 && c < 0xF0 ? 2 : c >= 0xC2 && c < 0xE0 ? 1 : 0;
    // A sequence that the end of the text cuts is not valid either.
    if (n == 0 || i + n >= text.size()) return false;
    for (size_t k = 1; k <= n; ++k) {
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return false;
    }
    // Overlong, half of a surrogate pair, or beyond U+10FFFF: what the second byte alone tells.
    const auto second = static_cast<unsigned char>(text[i + 1]);
    if ((c == 0xE0 && second < 0xA0) || (c == 0xED && second > 0x9F) || (c == 0xF0 && second < 0x90) ||
        (c == 0xF4 && second > 0x8F)) {
      return false;
    }
    i += n + 1;
  }
  return true;
}

bool MayNeedCleaning(std::string_view text) {
  bool any = false;
  // `[` counts only as `[0m`: it stands in every header of NCCL, and would send each line through both searches.
  swar::ForEachOf(text.data(), 0, text.size(), '\x1b', '&', '[', [&](size_t at) {
    any = any || text[at] != '[' || (at + 2 < text.size() && text[at + 1] == '0' && text[at + 2] == 'm');
  });
  return any;
}

bool LooksBinary(std::string_view text) {
  // Most lines have no byte below the blank: eight at a time.
  constexpr uint64_t kOnes = 0x0101010101010101ull;
  uint64_t below = 0;
  uint64_t word = 0;
  size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::memcpy(&word, text.data() + at, 8);
    below |= (word - kOnes * 0x20) & ~word & (kOnes << 7);
  }
  for (; at < text.size(); ++at) below |= static_cast<unsigned char>(text[at]) < 0x20 ? 1 : 0;
  if (below == 0) return false;
  size_t control = 0;
  for (char c : text) {
    const auto u = static_cast<unsigned char>(c);
    control += u < 0x20 && c != '\t' && c != '\x1b' && c != '\b' && c != '\r' && c != '\f' ? 1 : 0;
  }
  // A torn line may have a stray byte or two; a core or a tensor that was printed has them everywhere.
  return control >= 4 && control * 8 > text.size();
}

}  // namespace ncclwhy

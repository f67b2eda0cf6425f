#include "parser/find_frame.h"

#include <algorithm>
#include <vector>

#include "parser/dialect.h"
#include "parser/outer_prefix.h"
#include "parser/prefix.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

constexpr char kNumber = LineFrame::kNumber;
constexpr char kBlanks = LineFrame::kBlanks;

// Two lines may share a beginning by chance. Beyond 160 bytes what lines share is their message.
constexpr size_t kLeastLines = 3;
constexpr size_t kMostBytes = 160;
constexpr size_t kNpos = std::string_view::npos;

// The text with a sign for each run of digits and of blanks: what lines share when they differ in numbers only.
std::string ShapeOf(std::string_view text) {
  std::string shape;
  for (size_t at = 0; at < text.size();) {
    const size_t digits = scan::DigitsAt(text, at);
    if (digits > 0) {
      shape.push_back(kNumber);
      at += digits;
    } else if (scan::IsSpace(text[at])) {
      shape.push_back(kBlanks);
      while (at < text.size() && scan::IsSpace(text[at])) ++at;
    } else {
      shape.push_back(text[at++]);
    }
  }
  return shape;
}

// Where a frame may end. In the middle of a word it ends by chance only: `Step ` in front of `Step 1` and `Stop 2`.
constexpr std::string_view kBorders = "\2:,;\"'|>]) ";

// Whether `shape` ends between the hours and minutes of a time's zone: "… 16:39:51.208-07:", and "00" is next.
bool EndsInZone(std::string_view shape, size_t end) {
  return end >= 5 && end < shape.size() && shape[end] == kNumber && shape[end - 1] == ':' &&
         shape[end - 2] == kNumber && (shape[end - 3] == '-' || shape[end - 3] == '+') && shape[end - 4] == kNumber &&
         (shape[end - 5] == ':' || shape[end - 5] == '.');
}

// No letter: numbers, marks and blanks, as `cat -n`, a quote of a mail, or a table has them.
bool IsListing(std::string_view shape) {
  return std::none_of(shape.begin(), shape.end(), [](char c) { return scan::IsAlpha(c); });
}

bool BeginsHeader(std::string_view text) {
  HeaderMatch match;
  return ParseHeader(text, &match);
}

// Several words of a sentence in a row: that is what the lines say, and no frame of theirs.
//   INFO Waiting in store based barrier to initialize process group for rank: 5, key: …
bool IsSentence(std::string_view shape) {
  constexpr int kWords = 4;
  int words = 0;
  size_t letters = 0;
  for (const char c : shape) {
    if (scan::IsLower(c)) {
      ++letters;
      continue;
    }
    words = c == kBlanks && letters >= 2 ? words + 1 : 0;
    if (words == kWords) return true;
    letters = 0;
  }
  return false;
}

// What something known begins with: a record, or a prefix that says whose it is.
bool IsKnown(std::string_view text) {
  if (BeginsHeader(text) || FindTorchRecord(text.substr(0, 200), 0) == 0) return true;
  if (SniffDialect(text) != Dialect::kUnknown) return true;
  OuterPrefixStripper stripper;
  const StrippedLine stripped = stripper.Strip(text);
  return stripped.prefix.any && !stripped.only_time;
}

// A frame of signs alone: marks of tables, lists and quotes, or one number, which is that of the line. Programs draw
// with other signs.
bool CountsOrNone(std::string_view shape, const std::vector<std::string>& lines) {
  const auto numbers = std::count(shape.begin(), shape.end(), kNumber);
  if (numbers == 0) {
    return shape.find_first_of("|*->") != kNpos && shape.find_first_not_of("|*->\2") == kNpos;
  }
  if (numbers > 1) return false;
  int64_t last = -1;
  for (const std::string& line : lines) {
    const size_t at = line.find_first_of("0123456789");
    const int64_t n = scan::IntOr(std::string_view(line).substr(at), -1);
    // Four: so many empty lines in a row are usual in a traceback that is pasted with its numbers.
    if (last >= 0 && (n <= last || n > last + 4)) return false;  // empty lines are not counted here
    last = n;
  }
  return true;
}

// A frame that shows itself what it is: the row of a table of values with the line in quotes, `grep -n` over files.
//   2026-11-20T10:00:00Z,train-0,"text"        logs/rank0.txt:7:text
bool IsExport(std::string_view shape, const std::vector<std::string_view>& rests) {
  if (scan::EndsWith(shape, ",\"")) {
    return std::all_of(rests.begin(), rests.end(), [](std::string_view rest) { return scan::EndsWith(rest, "\""); });
  }
  const size_t name = shape.find(':');
  if (name == kNpos || shape.substr(name) != ":\1:" || shape.find_first_of(" \2\"'(") != kNpos) return false;
  const std::string_view file = shape.substr(0, name);
  const std::string_view own = file.substr(file.rfind('/') + 1);  // no source of a program: init.cu:998: …
  const bool bare = own.size() < file.size() && own.find('.') == kNpos;
  // `rank0.txt:7:`, `logs/rank0:7:` are names of logs; `init.cu:998:` is the place of a warning, which NCCL prints.
  return bare || scan::EndsWith(own, ".txt") || scan::EndsWith(own, ".log") || scan::EndsWith(own, ".out") ||
         scan::EndsWith(own, ".err");
}

// A logger that passes on what another program prints at one level: `- launcher - INFO - `. Its level says nothing of
// the line, and among its messages are some that no logger's own message begins like. A sign that all of them begin
// with is a column of the logger's own: `INFO MainThread:7 [wandb_init.py:init():993] communicating …`.
bool PassesOn(std::string_view shape, const std::vector<std::string_view>& rests) {
  if (!scan::Contains(shape, "INFO") && !scan::Contains(shape, "DEBUG")) return false;
  const char first = rests.empty() || rests[0].empty() ? '\0' : rests[0][0];
  const bool column = first != '\0' && std::all_of(rests.begin(), rests.end(), [first](std::string_view rest) {
                        return !rest.empty() && rest[0] == first;
                      });
  return std::any_of(rests.begin(), rests.end(), [column](std::string_view rest) {
    // A source line of a traceback is indented; dumps and tables begin with signs; no logger's message does.
    if (rest.empty()) return true;
    if (std::string_view(" \t[{(#*+<=$_\"").find(rest[0]) != kNpos) return !column;
    const std::string_view word = rest.substr(0, rest.find_first_of(": "));
    return scan::EndsWith(word, "Error") || scan::EndsWith(word, "Exception") || word == "Traceback";
  });
}

// Where in `text` a record begins that must not be touched.
size_t RecordIn(std::string_view text) {
  HeaderMatch match;
  size_t at = FindHeader(text, 0, &match) ? match.begin : text.size();
  at = std::min(at, FindTorchRecord(text.substr(0, at), 0));
  return at;
}

// A shape that all lines may begin with, and what stands behind it.
struct Found {
  std::string shape;
  size_t blanks = SIZE_MAX;
  std::vector<std::string_view> rests;
  size_t uncovered = 0;  // lines that are known behind it only; one more where it says itself what it is
};

// What is tried must fit every line. Its score is how many lines become known behind it that were unknown with it.
Found Try(std::string_view shape, const std::vector<std::string>& lines) {
  Found out;
  out.shape = shape;
  // `   7  text` and `   8    indented`: the fewest blanks of all lines are the frame's, more of them indent the text.
  if (shape.back() == kBlanks) {
    for (const std::string& line : lines) {
      const size_t with = LineFrame::Match(shape, SIZE_MAX, line);
      const size_t without = LineFrame::Match(shape.substr(0, shape.size() - 1), SIZE_MAX, line);
      // An empty line in a frame has only the frame; it says nothing of how many blanks belong to it.
      if (with == line.size()) continue;  // nothing else stands in it
      out.blanks = std::min(out.blanks, with - without);
    }
  }
  for (const std::string& line : lines) {
    const size_t n = LineFrame::Match(shape, out.blanks, line);
    if (n == kNpos) return out;
    out.rests.push_back(std::string_view(line).substr(n));
  }
  // `3: ` in front of known lines may be a rank: signs must tell themselves what they are.
  const bool listing = IsListing(shape);
  if (listing && !CountsOrNone(shape, lines)) return out;
  for (size_t i = 0; i < lines.size(); ++i) out.uncovered += IsKnown(out.rests[i]) && !IsKnown(lines[i]) ? 1 : 0;
  if (listing) ++out.uncovered;
  if (IsExport(shape, out.rests) || PassesOn(shape, out.rests)) out.uncovered += 2;  // `- ` alone is no list then
  return out;
}

}  // namespace

LineFrame FindFrame(std::string_view head) {
  std::vector<std::string> lines;  // without the prefixes that are known
  OuterPrefixStripper stripper;
  for (size_t end = head.find('\n'); end != kNpos; end = head.find('\n')) {
    std::string_view line = head.substr(0, end);
    head.remove_prefix(end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (scan::Trim(line).empty()) continue;
    // One header at the beginning of a line, or behind a known prefix, shows that nothing hides it: no frame.
    if (BeginsHeader(line)) return {};
    const std::string_view text = stripper.Strip(line).text;
    if (BeginsHeader(text)) return {};
    if (!scan::Trim(text).empty()) lines.emplace_back(text);
  }
  if (lines.size() < kLeastLines) return {};

  std::string shape = ShapeOf(std::string_view(lines[0]).substr(0, kMostBytes));
  for (const std::string& line : lines) {
    // Up to the record: that all lines of a rank go on with `node07:4711:4711 [0]` makes this no part of a frame.
    const std::string_view may = std::string_view(line).substr(0, std::min(RecordIn(line), kMostBytes));
    const std::string other = ShapeOf(may);
    // A run that goes on behind the part that was looked at is not the same one.
    const auto differs = std::mismatch(shape.begin(), shape.end(), other.begin(), other.end());
    shape.erase(differs.first, shape.end());
  }
  // Of all places where it may end the one behind which most is known; a rank or a header is none of it.
  Found best;
  for (size_t end = 1; end <= shape.size(); ++end) {
    if (kBorders.find(shape[end - 1]) == kNpos || EndsInZone(shape, end)) continue;
    if (IsSentence(std::string_view(shape).substr(0, end))) break;
    Found found = Try(std::string_view(shape).substr(0, end), lines);
    // `: ` rather than `:`, so that the text begins without a blank.
    const bool wider = found.uncovered == best.uncovered && shape[end - 1] == kBlanks && best.shape.size() + 1 == end;
    if (found.uncovered > best.uncovered || (wider && found.uncovered > 0)) best = std::move(found);
  }
  if (best.uncovered == 0) return {};
  shape = best.shape;
  const std::vector<std::string_view>& rests = best.rests;

  // The same at the end of all lines: only where the beginning opened it.
  const bool quoted = shape.back() == '"' || shape.back() == '\'';
  const bool row = shape.find('|') != std::string::npos;
  const auto all_end = [&](std::string_view end) {
    return std::all_of(rests.begin(), rests.end(), [&](std::string_view rest) { return scan::EndsWith(rest, end); });
  };
  std::string closing;
  if (quoted && all_end(std::string_view(&shape.back(), 1))) closing = shape.back();
  if (row && all_end("|")) closing = all_end(" |") ? " |" : "|";
  return LineFrame(std::move(shape), best.blanks, std::move(closing));
}

std::string BareText(std::string_view text, const LineFrame& frame) {
  std::string out;
  out.reserve(text.size());
  OuterPrefixStripper stripper(frame);
  size_t lines = 0, prefixed = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    const std::string_view inside = BeginsHeader(line) ? line : stripper.Strip(line).text;
    lines += line.empty() ? 0 : 1;
    prefixed += inside.size() < line.size() ? 1 : 0;
    out += inside;
    out += '\n';
  }
  // Seven of eight: some lines of a framed log may be added later, a prompt or a title. Less than that is a text in
  // which some lines happen to have a prefix.
  if (prefixed * 8 < lines * 7) return {};
  return out;
}

}  // namespace ncclwhy

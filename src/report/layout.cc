#include "report/layout.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/escape.h"
#include "base/utf8.h"
#include "report/cut_prose.h"

namespace ncclwhy {
namespace {

constexpr size_t kPipedWidth = Layout::kRowWidth;
constexpr size_t kLeastWidth = 40;
// Longer lines of prose are hard to read.
constexpr size_t kMostProse = 120;

// A place that leaves less than this for its text gets a row of its own.
constexpr size_t kLeastQuote = 40;
constexpr std::string_view kCut = "\xE2\x80\xA6";  // …

// Of a quote without its middle: less is no quote, and a word that wraps leaves so much of its row.
constexpr size_t kLeastParts = 100;
constexpr size_t kWordLess = 5;

// Where the last word of `text` begins that turns what follows it, if it stands near the end: without it "… reached 15
// others but Rank 3 on gpu07" says the opposite.
size_t TurnNearEnd(std::string_view text) {
  constexpr std::string_view kTurns[] = {" but ",    " not ",    " no ",      " never ",
                                         " except ", " unless ", " without ", " cannot "};
  constexpr size_t kNear = 32;
  size_t turn = std::string_view::npos;
  for (const std::string_view word : kTurns) {
    // With the blank behind it, which is that in front of the end.
    const size_t at = (text.size() < kNear ? text : text.substr(text.size() - kNear)).rfind(word);
    if (at == std::string_view::npos) continue;
    const size_t from_begin = text.size() - std::min(text.size(), kNear) + at + 1;
    turn = turn == std::string_view::npos ? from_begin : std::min(turn, from_begin);
  }
  return turn;
}

// Three fifths of the beginning and two of the end, in whole words, with … between; the text itself where it was cut
// before, as its end is not there.
std::string WithoutMiddle(std::string_view text, size_t columns) {
  if (text.ends_with(kCut)) return std::string(text);
  std::string_view head = PrefixOfWidth(text, columns * 3 / 5);
  const size_t last = head.find_last_of(' ');
  if (last != std::string_view::npos && last * 2 > head.size()) head = head.substr(0, last);
  size_t begin = text.size();
  // From the end back to where the rest has room: a step at a time, as only prefixes are measured.
  for (size_t at = text.find(' ', head.size()); at != std::string_view::npos; at = text.find(' ', at + 1)) {
    if (DisplayWidth(text.substr(at + 1)) > columns * 2 / 5) continue;
    begin = at + 1;
    break;
  }
  if (begin == text.size()) return std::string(text);
  if (const size_t turn = TurnNearEnd(text.substr(0, begin)); turn != std::string_view::npos && turn > head.size()) {
    // What the end takes more, the beginning takes less.
    const size_t more = DisplayWidth(text.substr(turn, begin - turn));
    head = PrefixOfWidth(head, DisplayWidth(head) - std::min(more, DisplayWidth(head) / 2));
    const size_t blank = head.find_last_of(' ');
    if (blank != std::string_view::npos) head = head.substr(0, blank);
    begin = turn;
  }
  return std::string(head) + " " + std::string(kCut) + " " + std::string(text.substr(begin));
}

// Of each style, in their order: plain, bold, dim, red, green, yellow, cyan.
constexpr std::array<std::string_view, 7> kCodes = {"",           "\x1b[1m",    "\x1b[2m", "\x1b[1;31m",
                                                    "\x1b[1;32m", "\x1b[1;33m", "\x1b[36m"};
static_assert(kCodes.size() == static_cast<size_t>(Style::kCyan) + 1);

std::string_view Code(Style style) { return kCodes[static_cast<size_t>(style)]; }

// In Chinese a line may be broken between any two characters but in front of these and behind those below.
// Must not start a line: closing punctuation of Chinese text.
bool SticksToPrevious(char32_t c) {
  constexpr std::u32string_view kClosing = U"，。、；：？！）》」』】〕”’…％";
  return kClosing.find(c) != std::u32string_view::npos;
}
bool SticksToNext(char32_t c) {
  constexpr std::u32string_view kOpening = U"（《「『【〔“‘";
  return kOpening.find(c) != std::u32string_view::npos;
}

// Pieces that are not broken; blanks belong to the piece before them.
std::vector<std::string_view> Pieces(std::string_view text) {
  std::vector<std::string_view> pieces;
  size_t begin = 0;
  size_t at = 0;
  char32_t previous = 0;
  while (at < text.size()) {
    char32_t c = 0;
    const size_t length = std::max<size_t>(DecodeUtf8(text.substr(at), &c), 1);
    // Between two characters of which one is wide a break needs no blank.
    const bool wide = DisplayWidth(c) == 2 || DisplayWidth(previous) == 2;
    const bool after_blank = previous == ' ' && c != ' ';
    if (at > begin && (after_blank || (wide && c != ' ' && !SticksToPrevious(c) && !SticksToNext(previous)))) {
      pieces.push_back(text.substr(begin, at - begin));
      begin = at;
    }
    previous = c;
    at += length;
  }
  if (begin < text.size()) pieces.push_back(text.substr(begin));
  return pieces;
}

std::string_view TrimRight(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Greedy: a piece goes into the row where it has room. Widths are columns, of East Asian text two each.
std::vector<std::string> Wrap(std::string_view text, size_t first_width, size_t width) {
  std::vector<std::string> lines(1);
  size_t used = 0;
  for (std::string_view piece : Pieces(text)) {
    // The first row may be narrower: a label or a place stands in front of it.
    const size_t limit = lines.size() == 1 ? first_width : width;
    if (used > 0 && used + DisplayWidth(TrimRight(piece)) > limit) {
      lines.emplace_back();
      used = 0;
    }
    // A word that is longer than a line (a hash) is cut hard; a path stays whole, to be copied.
    while (DisplayWidth(TrimRight(piece)) > width && piece.find('/') == std::string_view::npos) {
      const std::string_view part = PrefixOfWidth(piece, width);
      if (part.empty()) break;
      lines.back().append(part);
      piece.remove_prefix(part.size());
      lines.emplace_back();
      used = 0;
    }
    lines.back().append(piece);
    used += DisplayWidth(piece);
  }
  for (std::string& line : lines) line = std::string(TrimRight(line));
  if (lines.size() > 1 && lines.back().empty()) lines.pop_back();
  return lines;
}

// CI systems take a line that begins with :: as a command.
std::string Defused(std::string line) {
  // A backslash in front is enough, and shows that something was there.
  if (line.starts_with("::")) line.insert(0, "\\");
  return line;
}

// Without the colours and links that Emit and Quote wrote.
std::string WithoutEscapes(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\x1b') {
      out += text[at];
    } else if (text.substr(at, 2) == "\x1b]") {
      // OSC 8: `ESC ] 8 ; ; URL ESC \`, up to the end of it.
      at = std::min(text.find("\x1b\\", at), text.size() - 2) + 1;
    } else {
      at = std::min(text.find('m', at), text.size() - 1);
    }
  }
  return out;
}

}  // namespace

Style VerdictStyle(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFailure:
      return Style::kRed;
    case Verdict::kHealthy:
      return Style::kGreen;
    case Verdict::kUndetermined:
    case Verdict::kDegraded:
    case Verdict::kNoNccl:
      break;
  }
  return Style::kYellow;
}

// A width of 0 is a file or a pipe: prose as on a terminal of 80 columns, lines of logs whole.
Layout::Layout(int width, bool color)
    : prose_width_(width <= 0 ? kPipedWidth : std::clamp(static_cast<size_t>(width), kLeastWidth, kMostProse)),
      log_width_(width <= 0 ? 0 : std::max(static_cast<size_t>(width), kLeastWidth)),
      color_(color) {}

// Colours are the only escapes in the output, and only where they were asked for.
void Layout::Emit(std::string_view text, Style style) {
  if (color_ && style != Style::kPlain) {
    out_ += Code(style);
    out_ += text;
    out_ += "\x1b[0m";
  } else {
    out_ += text;
  }
}

void Layout::Blank() {
  // Never two in a row, and none at the beginning.
  if (!out_.empty() && !out_.ends_with("\n\n")) out_ += '\n';
}

void Layout::Title(std::string_view text) {
  Blank();
  Emit(EscapeTerminal(text), Style::kBold);
  out_ += '\n';
}

// At least 20 columns for the text, whatever the indent takes.
void Layout::Prose(std::string_view first, std::string_view text, Style style) {
  const size_t indent = DisplayWidth(first);
  const size_t room = prose_width_ > indent + 20 ? prose_width_ - indent : 20;
  out_ += first;
  bool begun = false;
  for (const std::string& line : Wrap(EscapeTerminal(text), room, room)) {
    if (begun) out_.append(indent, ' ');
    Emit(Defused(line), style);
    out_ += '\n';
    begun = true;
  }
}

void Layout::Headed(std::string_view head, Style style, std::string_view rest) {
  const std::string plain = EscapeTerminal(head);
  Emit(plain, style);
  out_ += "  ";
  const size_t indent = DisplayWidth(plain) + 2;
  const size_t first = prose_width_ > indent + 20 ? prose_width_ - indent : 20;
  bool begun = false;
  for (const std::string& line : Wrap(EscapeTerminal(rest), first, prose_width_ - 2)) {
    if (begun) out_ += "  ";
    // The first row stands behind the verdict and cannot begin with ::.
    Emit(begun ? Defused(line) : line, Style::kBold);
    out_ += '\n';
    begun = true;
  }
}

// `room`: columns of the last row, which needs one for the … where something is left out.
void Layout::EmitRows(std::vector<std::string> lines, size_t rows, size_t room, std::string_view indent, Style style,
                      bool prose) {
  if (lines.size() > rows && !(prose && EndWithSentence(&lines, rows))) {
    lines.resize(rows);
    // The … takes the place of the last column where there is no room for it.
    std::string& last = lines.back();
    if (DisplayWidth(last) >= room)
      last = std::string(prose ? WholeWords(last, room - 1) : PrefixOfWidth(last, room - 1));
    if (prose) last.resize(EndOfClause(last, room));
    last = prose ? WithCutSign(last) : std::string(TrimRight(last)) + std::string(kCut);
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out_ += indent;
    // An empty indent: the rows begin in the first column, where CI looks for commands.
    Emit(indent.empty() || i > 0 ? Defused(lines[i]) : lines[i], style);
    out_ += '\n';
  }
}

void Layout::Clipped(std::string_view first, std::string_view text, size_t rows, Style style) {
  const size_t indent = DisplayWidth(first);
  const size_t room = prose_width_ > indent + 20 ? prose_width_ - indent : 20;
  out_ += first;
  std::vector<std::string> lines = Wrap(EscapeTerminal(text), room, room);
  if (!lines.empty()) lines.front() = Defused(lines.front());
  EmitRows(std::move(lines), rows, room, std::string(indent, ' '), style, true);
}

void Layout::Section(std::string_view text) {
  Emit(EscapeTerminal(text), Style::kBold);
  out_ += '\n';
}

void Layout::Labelled(std::string_view name, std::string_view text, size_t rows, Style style) {
  const std::string plain = EscapeTerminal(name);
  Emit(plain, Style::kBold);
  // A name in Chinese gets the colon of Chinese text, two columns wide.
  out_ += DisplayWidth(plain) == plain.size() ? ": " : "\xEF\xBC\x9A";  // ：
  const size_t used = DisplayWidth(plain) + 2;
  const size_t room = prose_width_ > used + 20 ? prose_width_ - used : 20;
  EmitRows(Wrap(EscapeTerminal(text), room, prose_width_ - 2), rows, rows == 1 ? room : prose_width_ - 2, "  ", style,
           true);
}

// OSC 8 makes a link of the place; where terminals do not know it they show the text alone.
void Layout::Quote(std::string_view place, std::string_view link, std::string_view text, size_t rows) {
  const std::string visible = EscapeTerminal(place);
  out_ += "  ";
  if (!link.empty()) out_ += "\x1b]8;;" + EscapeTerminal(link) + "\x1b\\";
  Emit(visible, Style::kCyan);
  if (!link.empty()) out_ += "\x1b]8;;\x1b\\";
  const size_t used = DisplayWidth(visible) + 4;
  // A long path would leave a narrow strip for its line.
  const bool below = used + kLeastQuote > prose_width_;
  out_ += below ? "\n    " : "  ";
  const size_t first = below ? prose_width_ - 4 : prose_width_ - used;
  const size_t room = prose_width_ - 4;
  const std::string whole = EscapeTerminal(text);
  std::vector<std::string> lines = Wrap(whole, first, room);
  // What is said at the end tells as much as the beginning: "… Timeout(ms)=1) ran for 90 milliseconds before timing
  // out".
  for (size_t columns = first + (rows - 1) * room; lines.size() > rows && columns > kLeastParts; columns -= kWordLess) {
    lines = Wrap(WithoutMiddle(whole, columns), first, room);
  }
  if (below) lines.front() = Defused(lines.front());
  EmitRows(std::move(lines), rows, rows == 1 ? first : room, "    ", Style::kPlain, false);
}

// With what a terminal of kRowWidth columns breaks by itself: commands and paths are never wrapped here.
size_t Layout::rows() const {
  size_t rows = 0;
  for (size_t at = 0; at < out_.size();) {
    const size_t end = std::min(out_.find('\n', at), out_.size());
    // Colours and links take no column.
    const size_t width = DisplayWidth(WithoutEscapes(std::string_view(out_).substr(at, end - at)));
    rows += std::max<size_t>((width + kRowWidth - 1) / kRowWidth, 1);
    at = end + 1;
  }
  return rows;
}

void Layout::LogText(std::string_view prefix, std::string_view text, size_t rows) {
  const bool bare = prefix.find_first_not_of(' ') == std::string_view::npos;
  const std::string visible = bare ? Defused(EscapeTerminal(text)) : EscapeTerminal(text);
  std::string_view rest = visible;
  const size_t indent = DisplayWidth(prefix);
  if (log_width_ == 0) {
    out_ += prefix;
    out_ += rest;
    out_ += '\n';
    return;
  }
  // 20 columns at least, on however narrow a terminal.
  const size_t room = std::max<size_t>(log_width_ - std::min(log_width_, indent), 20);
  for (size_t row = 0; row < rows && (row == 0 || !rest.empty()); ++row) {
    std::string_view part = PrefixOfWidth(rest, room);
    const bool cut = row + 1 == rows && part.size() < rest.size();
    // One column for the ….
    if (cut) part = PrefixOfWidth(rest, room - 1);
    out_ += prefix;
    out_ += part;
    if (cut) out_ += "\xE2\x80\xA6";  // …
    out_ += '\n';
    rest.remove_prefix(part.size());
  }
}

// Whole, however long: a command with a break in it is another one.
void Layout::Command(std::string_view prefix, std::string_view text) {
  const size_t indent = std::min(prefix.find_first_not_of(' '), prefix.size());
  std::string start(prefix.substr(0, indent));
  start += Defused(EscapeTerminal(prefix.substr(indent)));  // a host may stand in it
  // Several lines are a file to write (a Kubernetes manifest), not something to type.
  // Behind a prompt only the first of several lines would look like a command.
  if (text.find('\n') != std::string_view::npos) start.assign(DisplayWidth(prefix), ' ');
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string line = EscapeTerminal(text.substr(0, end));
    out_ += start;
    Emit(start.find_first_not_of(' ') == std::string::npos ? Defused(line) : line, Style::kCyan);
    out_ += '\n';
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

}  // namespace ncclwhy

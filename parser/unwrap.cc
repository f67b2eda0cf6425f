#include "parser/unwrap.h"

#include <algorithm>
#include <array>
#include <vector>

#include "parser/dialect.h"
#include "parser/prefix.h"
#include "parser/scan.h"
#include "parser/timestamp.h"

namespace ncclwhy {
namespace {

// Narrower than any terminal, wider than any.
constexpr size_t kLeastColumns = 40;
constexpr size_t kMostColumns = 400;
constexpr size_t kMostIndent = 8;
// Of a logger that has columns for time and level in front of its text.
constexpr size_t kWidestColumn = 48;

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(line);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

// A character of several bytes has one column; wide ones are counted as one as well, since the bytes alone tell no
// font.
size_t Columns(std::string_view line) {
  return static_cast<size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

size_t Indent(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// `  3: text` of srun -l, padded.
bool HasLabel(std::string_view line) {
  const std::string_view text = line.substr(Indent(line));
  const size_t digits = scan::DigitsAt(text, 0);
  return digits > 0 && digits <= 5 && scan::StartsWith(text.substr(digits), ": ");
}

bool HasHeader(std::string_view line) {
  HeaderMatch match;
  return ParseHeader(line, &match) || FindHeader(line, 0, &match);
}

// `ib_md.c:282  UCX  ERROR …`: UCX without its stamp, as people quote it.
bool BeginsAsUcx(std::string_view line) {
  const size_t place = std::min(line.find(' '), line.size());
  const size_t text = std::min(line.find_first_not_of(' ', place), line.size());
  return line.substr(0, place).find(".c:") != std::string_view::npos && scan::StartsWith(line.substr(text), "UCX ");
}

// [88190.417733] Lustre: …, [   12.1] nvidia: the kernel's stamp
bool HasKernelStamp(std::string_view line) {
  if (line[0] != '[') return false;
  const size_t begin = std::min(line.find_first_not_of(' ', 1), line.size());
  const size_t point = begin + scan::DigitsAt(line, begin);
  if (point == begin || point >= line.size() || line[point] != '.') return false;
  const size_t digits = scan::DigitsAt(line, point + 1);
  return digits > 0 && line.substr(point + 1 + digits).starts_with("] ");
}

// Where a line certainly begins: a header, a time, what a program is known by, an empty line.
bool IsLineStart(std::string_view line) {
  // What is no record of a known program, but no piece of a sentence either.
  // The signs of shells, quotes and lists; `[W` and `[I` are PyTorch's and glog's levels.
  static constexpr std::array<std::string_view, 14> kStarts = {
      "[W", "[I", "[1,", "INFO", "WARN", "ERROR", "Error: ", "DEBUG:", "    ", "#", "$ ", "> ", "| ", "- "};
  if (line.find_first_not_of(' ') == std::string_view::npos) return true;
  if (HasHeader(line) || HasLabel(line) || BeginsAsUcx(line) || FindTorchRecord(line, 0) == 0 ||
      TimestampLength(line, nullptr) > 0 || HasKernelStamp(line))
    return true;
  // (EngineCore_DP3 pid=1201) ERROR 10-12 22:15:08 …     of Ray and vLLM
  if (line[0] == '(' && scan::Contains(line.substr(0, line.find(')')), " pid=")) return true;
  if (PythonExceptionLength(line) > 0 || SniffDialect(line) == Dialect::kPython) return true;
  return std::any_of(kStarts.begin(), kStarts.end(), [&](std::string_view s) { return scan::StartsWith(line, s); });
}

// What is read alike wherever the line stands: nothing in front of its header, nothing to clean.
bool BeginsRecord(std::string_view line) {
  HeaderMatch match;
  return !line.empty() && scan::IsAlnum(line[0]) && ParseHeader(line, &match) && match.header.present &&
         line.find_first_of("\x1b&") == std::string_view::npos;
}

class Joiner {
 public:
  // `starts`: what is known of each line by those who asked before.
  Joiner(const std::vector<std::string_view>& lines, std::vector<LineStart>* starts, Wrapping wrapping)
      : lines_(lines), starts_(*starts), wrapping_(wrapping) {}

  Unwrapped Join() {
    if (!FindWidth()) return {};
    Unwrapped out;
    for (size_t i = 0; i < lines_.size(); ++i) {
      const size_t first = i;
      const bool continued = i + 1 < lines_.size() && Continues(first, i);
      // Mostly nothing is to be joined, and nothing to be written.
      if (continued && out.joins == 0) out.text = LinesInFront(i);
      if (!continued && out.joins == 0) continue;
      const size_t begin = out.text.size();
      out.text += lines_[i];
      while (i + 1 < lines_.size() && Continues(first, i)) {
        ++i;
        std::string_view piece = lines_[i];
        if (wrapping_ != Wrapping::kHard) {
          piece.remove_prefix(Indent(piece));
          if (!BreaksWord(lines_[i - 1], piece)) out.text += ' ';
        } else if (EndsSentence(lines_[i - 1], piece)) {
          out.text += ' ';
        }
        out.text += piece;
      }
      if (i > first) {
        const std::string_view line = std::string_view(out.text).substr(begin);
        out.records = out.records && BeginsRecord(line);
        out.joined.append(line).append("\n");
      }
      // Every line that was joined leaves an empty one, so that numbers stay those of the source.
      out.text.append(i - first + 1, '\n');
      out.joins += i - first;
    }
    return out;
  }

 private:
  std::string LinesInFront(size_t end) const {
    std::string text;
    for (size_t i = 0; i < end; ++i) text.append(lines_[i]).push_back('\n');
    return text;
  }

  bool FindWidth() {
    // The width is that of the longest line. In a text that a terminal broke that is its number of columns.
    size_t full = 0, starts = 0;
    for (const std::string_view line : lines_) {
      if (line.size() <= width_) continue;  // no more columns than bytes
      // A line without a blank could not be broken at one: it may be wider than the rest.
      if (wrapping_ == Wrapping::kSoft && line.find(' ', Indent(line)) == std::string_view::npos) continue;
      width_ = std::max(width_, Columns(line));
    }
    if (wrapping_ == Wrapping::kSoft) return true;
    if (wrapping_ == Wrapping::kIndented) return FindIndent();
    if (width_ < kLeastColumns || width_ > kMostColumns) return false;
    for (size_t i = 0; i + 1 < lines_.size(); ++i) {
      if (!IsFull(lines_[i])) continue;
      ++full;
      starts += BeginsLine(i + 1) ? 1 : 0;
    }
    // By chance a few pieces look like a beginning.
    // More than a quarter: the lines are as wide as that by themselves, like a table's.
    return full > 0 && starts * 4 <= full;
  }

  // The indent that most lines have behind a line which their first word would have made too wide.
  bool FindIndent() {
    if (width_ < kLeastColumns || width_ > kMostColumns) return false;
    std::vector<size_t> seen(kWidestColumn + 1);
    for (size_t i = 0; i + 1 < lines_.size(); ++i) {
      const size_t indent = Indent(lines_[i + 1]);
      if (indent > 0 && indent < seen.size() && HasNoRoom(lines_[i], lines_[i + 1])) ++seen[indent];
    }
    indent_ = static_cast<size_t>(std::max_element(seen.begin(), seen.end()) - seen.begin());
    return seen[indent_] > 0;
  }

  // Whether the first word of `next` would not have fitted behind `line`.
  bool HasNoRoom(std::string_view line, std::string_view next) const {
    const size_t indent = Indent(next);
    const size_t word = std::min(next.find(' ', indent), next.size()) - indent;
    return line.size() + 1 + word > width_ && Columns(line) + 1 + word > width_;
  }

  // `NET/IB-` + `ext_v10`; a path that is wider than a line: what was one word is one again.
  bool BreaksWord(std::string_view line, std::string_view piece) const {
    if (wrapping_ != Wrapping::kIndented || line.size() < 2 || piece.empty()) return false;
    if (line.back() == '-') return scan::IsIdentifierChar(line[line.size() - 2]) && scan::IsIdentifierChar(piece[0]);
    const size_t last = line.size() - std::min(line.rfind(' ') + 1, line.size());
    const size_t word = std::min(piece.find(' '), piece.size());
    return Columns(line) == width_ && last + word > width_ - indent_;
  }

  // `… local network address.` + `The server …`: the blank at the edge was lost.
  static bool EndsSentence(std::string_view line, std::string_view piece) {
    return line.size() > 1 && line.back() == '.' && scan::IsLower(line[line.size() - 2]) && scan::IsUpper(piece[0]);
  }

  bool IsFull(std::string_view line) const { return line.size() >= width_ && Columns(line) == width_; }

  // Line `i + 1` goes on with line `i`, which belongs to the line that began at `first`.
  bool Continues(size_t first, size_t i) {
    const std::string_view line = lines_[i], next = lines_[i + 1];
    if (wrapping_ == Wrapping::kHard) return !next.empty() && IsFull(line);
    if (line.empty()) return false;
    const size_t indent = Indent(next);
    if (wrapping_ == Wrapping::kIndented) return indent == indent_ && indent < next.size() && HasNoRoom(line, next);
    // The indented rest of a line of NCCL's is told by its indent, whatever the width.
    if (indent > 0 && indent <= kMostIndent && HasHeader(lines_[first])) return !BeginsLine(i + 1);
    if (width_ < kLeastColumns || width_ > kMostColumns) return false;
    return HasNoRoom(line, next) && !BeginsLine(i + 1);
  }

  bool BeginsLine(size_t i) {
    if (starts_[i] == LineStart::kUnknown) starts_[i] = IsLineStart(lines_[i]) ? LineStart::kYes : LineStart::kNo;
    return starts_[i] == LineStart::kYes;
  }

  const std::vector<std::string_view>& lines_;
  std::vector<LineStart>& starts_;
  Wrapping wrapping_;
  size_t width_ = 0;
  size_t indent_ = 0;
};

}  // namespace

BrokenLines::BrokenLines(std::string_view text) {
  // Binary data has no lines that could be put together.
  if (text.find('\0') == std::string_view::npos) lines_ = Lines(text);
  starts_.resize(lines_.size());
}

Unwrapped BrokenLines::Unwrap(Wrapping wrapping) { return Joiner(lines_, &starts_, wrapping).Join(); }

}  // namespace ncclwhy

// Layout: lines of text for a terminal or a pipe. Escapes everything it is given, wraps prose at the width (East Asian
// width respected), never breaks a log line that goes into a pipe, and colours only when asked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ncclwhy/report.h"

namespace ncclwhy {

enum class Style : uint8_t { kPlain, kBold, kDim, kRed, kGreen, kYellow, kCyan };

// The colour of the verdict's word.
Style VerdictStyle(Verdict verdict);

class Layout {
 public:
  // `width` 0: piped.
  // A terminal narrower than 40 columns is taken for one of 40; prose is never wider than 120.
  Layout(int width, bool color);

  void Blank();
  // `text` wrapped; `first` starts the first line, as many blanks start the others.
  void Prose(std::string_view first, std::string_view text, Style style = Style::kPlain);
  // A section's title.
  void Title(std::string_view text);
  // Text of a log behind `prefix`: whole when piped, at most `rows` rows on a terminal.
  void LogText(std::string_view prefix, std::string_view text, size_t rows);
  // A command, never wrapped (it will be copied); lines of a longer command stand below each other.
  void Command(std::string_view prefix, std::string_view text);
  // `head` in a style, then `rest` wrapped behind it.
  void Headed(std::string_view head, Style style, std::string_view rest);

  // As Prose, in at most `rows` rows; what is left out ends in …
  void Clipped(std::string_view first, std::string_view text, size_t rows, Style style = Style::kPlain);
  // A section's title without a blank line before it.
  void Section(std::string_view text);
  // "Fix: text", the name in bold, in at most `rows` rows.
  void Labelled(std::string_view name, std::string_view text, size_t rows, Style style = Style::kPlain);
  // A line of a log behind its place, "  rank3.log:41  text", in at most `rows` rows. `link`: a URI for the place, or
  // empty. The place is never broken; what does not fit beside a long one stands below it.
  void Quote(std::string_view place, std::string_view link, std::string_view text, size_t rows);

  size_t prose_width() const { return prose_width_; }
  // Rows so far on a terminal of kRowWidth columns, with what it breaks itself.
  size_t rows() const;
  static constexpr size_t kRowWidth = 100;

  std::string Take() { return std::move(out_); }

 private:
  // Text as it is, in the style where colours are on.
  void Emit(std::string_view text, Style style);
  // At most `rows` of the lines; with `prose` it rather ends with a whole sentence.
  void EmitRows(std::vector<std::string> lines, size_t rows, size_t room, std::string_view indent, Style style,
                bool prose);

  size_t prose_width_;
  size_t log_width_;  // 0: no limit
  bool color_;
  std::string out_;
};

}  // namespace ncclwhy

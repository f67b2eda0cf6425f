// Layout: lines of text for a terminal or a pipe. Escapes everything it is given, wraps prose at the width (East Asian
// width respected), never breaks a log line that goes into a pipe, and colours only when asked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ncclwhy {

enum class Style : uint8_t { kPlain, kBold, kDim, kRed, kGreen, kYellow, kCyan };

class Layout {
 public:
  // `width` 0: piped.
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

  std::string Take() { return std::move(out_); }

 private:
  void Emit(std::string_view text, Style style);

  size_t prose_width_;
  size_t log_width_;  // 0: no limit
  bool color_;
  std::string out_;
};

}  // namespace ncclwhy

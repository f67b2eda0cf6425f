#include "parser/line_frame.h"

#include <utility>

#include "parser/scan.h"

namespace ncclwhy {

// Byte by byte without going back: a shape has no choice, since a run of digits or blanks is taken whole.
size_t LineFrame::Match(std::string_view shape, size_t last_blanks, std::string_view text) {
  size_t at = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == kNumber) {
      const size_t digits = scan::DigitsAt(text, at);
      if (digits == 0) return std::string_view::npos;
      at += digits;
    } else if (shape[i] == kBlanks) {
      size_t n = 0;
      // The last blanks are counted: what is more of them is the text's own indent.
      const size_t most = i + 1 == shape.size() ? last_blanks : text.size();
      while (n < most && at + n < text.size() && scan::IsSpace(text[at + n])) ++n;
      // A line that is empty has lost the blanks at its end.
      if (n == 0 && !(i + 1 == shape.size() && at == text.size())) return std::string_view::npos;
      at += n;
    } else {
      if (at >= text.size() || text[at] != shape[i]) return std::string_view::npos;
      ++at;
    }
  }
  return at;
}

bool LineFrame::TakeOff(std::string_view& text, std::string& scratch) const {
  const size_t n = Match(shape_, blanks_, text);
  if (n == std::string_view::npos) return false;
  text.remove_prefix(n);
  // Without the closing sign the line stands in the frame all the same: it was cut, or a quoted value has a newline in
  // it and goes on in the next line.
  if (!scan::EndsWith(text, closing_)) return true;
  text.remove_suffix(closing_.size());
  // CSV doubles a quote in a quoted value; `scratch` is only used where one is there.
  if (closing_ != "\"" || !scan::Contains(text, "\"\"")) return true;
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    out.push_back(text[i]);
    if (text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') ++i;
  }
  scratch = std::move(out);
  text = scratch;
  return true;
}

}  // namespace ncclwhy

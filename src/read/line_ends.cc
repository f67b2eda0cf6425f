#include "read/line_ends.h"

#include <algorithm>

#include "read/node_digest.h"

namespace ncclwhy {

std::optional<LineEnds> LineEnds::For(std::string_view first) {
  const size_t begin = first.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || LooksLikeNodeDigest(first)) return std::nullopt;
  // [{"log": …},{"log": …}]
  const size_t record = first.find_first_not_of(" \t", begin + 1);
  const size_t line = first.find('\n', begin);
  const bool array =
      first[begin] == '[' && record != std::string_view::npos && first[record] == '{' &&
      (line == std::string_view::npos || first.find_first_not_of(" \t\r\n", line) == std::string_view::npos);
  if (array) return LineEnds(true);
  // A progress bar, too, writes CR, but a line follows it some time.
  const bool returns = line == std::string_view::npos && std::count(first.begin(), first.end(), '\r') > 1;
  return returns ? std::optional(LineEnds(false)) : std::nullopt;
}

std::string_view LineEnds::Mend(std::string_view bytes) {
  out_.assign(bytes);
  if (!array_) {
    std::replace(out_.begin(), out_.end(), '\r', '\n');
    return out_;
  }
  for (char& c : out_) {
    if (text_) {
      text_ = escaped_ || c != '"';
      escaped_ = !escaped_ && c == '\\';
    } else if (c == '"') {
      text_ = true;
    } else if (c == '{' || c == '[') {
      if (++depth_ == 1) c = ' ';
    } else if (c == '}' || c == ']') {
      if (--depth_ <= 0) c = ' ';
    } else if (c == ',' && depth_ <= 1) {
      c = '\n';
    }
  }
  return out_;
}

}  // namespace ncclwhy

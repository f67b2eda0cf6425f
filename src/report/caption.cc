#include "report/caption.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"

namespace ncclwhy {

bool SaysNothingMore(std::string_view caption, std::string_view line) {
  constexpr size_t kFewWords = 4;  // of which each may matter
  // Letters small, all but letters and digits blank.
  const auto plain = [](std::string_view text) {
    std::string out(text);
    for (char& c : out) c = IsAlnum(c) || (c & 0x80) != 0 ? IsAlpha(c) ? static_cast<char>(c | 0x20) : c : ' ';
    return out;
  };
  const std::string said = plain(caption), quoted = " " + plain(line) + " ";
  const std::vector<std::string_view> words = SplitWords(said);
  const auto there = std::count_if(words.begin(), words.end(), [&](std::string_view word) {
    return quoted.find(" " + std::string(word) + " ") != std::string::npos;
  });
  return words.size() >= kFewWords && static_cast<size_t>(there) * 10 >= words.size() * 7;
}

}  // namespace ncclwhy

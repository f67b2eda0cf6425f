#include "api/nearest_message.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace ncclwhy {
namespace {

// Words of three letters and more: numbers, conversions and punctuation differ between a format and its line.
std::set<std::string> WordsIn(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  const auto flush = [&] {
    if (word.size() >= 3) words.insert(word);
    word.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '%') {  // a conversion
      flush();
      while (i + 1 < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[i + 1])) != 0 || text[i + 1] == '.')) {
        ++i;
        // `%-20s`, `%02x` and `%lu` end with one of these letters; flags and length stand in front.
        if (std::string_view("diouxXcspfeg").find(text[i]) != std::string_view::npos) break;
      }
    } else if (std::isalpha(c) != 0) {
      word += static_cast<char>(std::tolower(c));
    } else {
      flush();
    }
  }
  flush();
  return words;
}

}  // namespace

int NearestMessage(std::string_view text, const KnowledgeBase& kb) {
  const std::set<std::string> wanted = WordsIn(text);
  // A single word agrees with too much.
  if (wanted.size() < 2) return -1;
  int best = -1;
  double best_share = 0.66;
  for (int i = 0; i < static_cast<int>(kb.MessageCount()); ++i) {
    const std::string format = kb.Message(i, {}, Language::kEnglish).format;
    if (format == text) return i;
    const std::set<std::string> have = WordsIn(format);
    if (have.empty()) continue;
    const auto common = static_cast<double>(
        std::count_if(wanted.begin(), wanted.end(), [&](const std::string& w) { return have.contains(w); }));
    // Of the larger of both: a long text that holds all words of a short format is not that format.
    const double share = common / static_cast<double>(std::max(wanted.size(), have.size()));
    if (share > best_share) {
      best_share = share;
      best = i;
    }
  }
  return best;
}

}  // namespace ncclwhy

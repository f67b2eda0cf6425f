#include "base/rank_list.h"

#include <algorithm>

#include "base/numbers.h"

namespace ncclwhy {

std::string RankListText(const std::vector<int32_t>& ranks) {
  //    0 8 16 24   →   0-24:8      3 5 9 10 11   →   3,5,9-11
  std::string text;
  // The longest run of equal steps from `i` on.
  for (size_t i = 0; i < ranks.size();) {
    const int64_t step = i + 1 < ranks.size() ? int64_t{ranks[i + 1]} - ranks[i] : 1;
    size_t end = i + 1;
    while (end < ranks.size() && int64_t{ranks[end]} - ranks[end - 1] == step) ++end;
    if (end - i == 2) end = i + 1;  // two numbers are no pattern
    if (!text.empty()) text += ',';
    text += std::to_string(ranks[i]);
    if (end - i > 1) text += "-" + std::to_string(ranks[end - 1]);
    if (end - i > 1 && step != 1) text += ":" + std::to_string(step);
    i = end;
  }
  return text;
}

std::string RankRanges(std::vector<int32_t> ranks, size_t most) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  std::string out;
  for (size_t i = 0; i < ranks.size();) {
    if (most-- == 0) return out + ", \xE2\x80\xA6";  // …
    size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    out += (out.empty() ? "" : ", ") + std::to_string(ranks[i]);
    // Two neighbours as a list, three and more as a range.
    if (last > i) out += (last == i + 1 ? ", " : "-") + std::to_string(ranks[last]);
    i = last + 1;
  }
  return out;
}

std::vector<int32_t> ParseRankList(std::string_view text, size_t most) {
  std::vector<int32_t> ranks;
  while (!text.empty()) {
    std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    int64_t step = 1;
    if (const size_t colon = part.find(':'); colon != std::string_view::npos) {
      step = ParseInt(part.substr(colon + 1)).value_or(0);
      part = part.substr(0, colon);
    }
    const size_t dash = part.find('-');
    const auto first = ParseInt<int32_t>(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : ParseInt<int32_t>(part.substr(dash + 1));
    // A list that a person mistyped is no list: half of it would name the wrong ranks.
    if (!first || !last || *first < 0 || *last < *first || step < 1) return {};
    for (int64_t n = *first; n <= *last; n += step) {
      if (ranks.size() == most) return {};
      ranks.push_back(static_cast<int32_t>(n));
    }
  }
  return ranks;
}

}  // namespace ncclwhy

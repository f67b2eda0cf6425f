#include "base/text.h"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace ncclwhy {
namespace {

constexpr size_t kLongestName = 128;

// NCCL_IB_HCA, nccl-ib-hca and Nccl_Ib_Hca are one to whoever mistyped a name.
std::string Folded(std::string_view name) {
  std::string out(name.substr(0, kLongestName));
  for (char& c : out) c = c == '-' ? '_' : IsLower(c) ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

}  // namespace

bool SameButCase(std::string_view a, std::string_view b) {
  const auto low = [](char c) { return IsUpper(c) ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return low(x) == low(y); });
}

// Only the latest star is ever tried again: what an earlier one took, a later one can take as well.
bool GlobMatches(std::string_view glob, std::string_view text) {
  size_t g = 0;
  size_t i = 0;
  size_t star = std::string_view::npos;
  size_t retry = 0;
  while (i < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      retry = i;
    } else if (g < glob.size() && glob[g] == text[i]) {
      ++g;
      ++i;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      i = ++retry;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

// Optimal string alignment, in three rows; a prefix that is too far away ends it.
int EditDistance(std::string_view a, std::string_view b, int limit) {
  const int far = limit + 1;
  if (std::abs(static_cast<int>(a.size()) - static_cast<int>(b.size())) > limit) return far;
  if (a.size() > kLongestName || b.size() > kLongestName) return far;
  int rows[3][kLongestName + 1];  // distances of prefixes: before last, last and this row
  for (size_t j = 0; j <= b.size(); ++j) rows[1][j] = static_cast<int>(j);
  int* before = rows[0];
  int* last = rows[1];
  int* row = rows[2];
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    int least = row[0];
    for (size_t j = 1; j <= b.size(); ++j) {
      const int change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, last[j] + 1, row[j - 1] + 1});
      // A swap of neighbours, `NCCL_IB_CHA`, is the mistake of fast fingers and counts once.
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    if (least > limit) return far;
    std::swap(before, last);
    std::swap(last, row);
  }
  return std::min(last[b.size()], far);
}

std::string_view NearestName(std::string_view name, const std::vector<std::string_view>& names) {
  const std::string wanted = Folded(name);
  const int letters = static_cast<int>(wanted.size());
  // A fifth of the letters, two at least, and never more than half: "NET" is not near "IB".
  int best = std::min(std::max(2, letters / 5), letters / 2) + 1;  // more is another word
  std::string_view found;
  for (const std::string_view candidate : names) {
    const int distance = EditDistance(wanted, Folded(candidate), best - 1);
    if (distance < best) best = distance, found = candidate;
  }
  if (!found.empty() || wanted.size() < 10) return found;
  // NCCL_IB_GID for NCCL_IB_GID_INDEX: the shortest name that goes on where this one stops.
  for (const std::string_view candidate : names) {
    const bool longer = candidate.size() > wanted.size() && Folded(candidate).starts_with(wanted);
    if (longer && (found.empty() || candidate.size() < found.size())) found = candidate;
  }
  return found;
}

std::vector<std::string_view> SplitWords(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t begin = 0; (begin = text.find_first_not_of(' ', begin)) != std::string_view::npos;) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return out;
}

}  // namespace ncclwhy

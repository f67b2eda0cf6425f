#include "base/host_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/numbers.h"

namespace ncclwhy {
namespace {

// "01-03,7" → 01 02 03 7; empty where it is no list of numbers.
// Width is kept: `node[01-03]` names node01, and there may be a node1 beside it. A range may not fall, as `[7-3]` is
// somebody's mistake.
std::vector<std::string> NumbersOf(std::string_view ranges, size_t most) {
  std::vector<std::string> out;
  for (size_t at = 0; at <= ranges.size();) {
    const std::string_view range = ranges.substr(at, std::min(ranges.find(',', at), ranges.size()) - at);
    at += range.size() + 1;
    const size_t dash = range.find('-');
    const std::string_view first = range.substr(0, dash);
    const std::string_view last = dash == std::string_view::npos ? first : range.substr(dash + 1);
    const auto from = ParseInt<int64_t>(first);
    const auto to = ParseInt<int64_t>(last);
    if (!from || !to || *from < 0 || *to < *from) return {};
    for (int64_t n = *from; n <= *to && out.size() < most; ++n) out.push_back(fmt::format("{:0{}}", n, first.size()));
  }
  return out;
}

// The hosts that one entry of the list stands for, which may have several brackets.
// `head` is what is expanded already: of r[1-2]n[1-2], "r1n" when the second bracket's turn comes.
void Expand(const std::string& head, std::string_view rest, size_t most, std::vector<std::string>* out) {
  const size_t open = rest.find('[');
  const size_t close = rest.find(']', open == std::string_view::npos ? rest.size() : open);
  std::vector<std::string> numbers;
  if (close != std::string_view::npos) numbers = NumbersOf(rest.substr(open + 1, close - open - 1), most);
  if (numbers.empty()) {
    if (out->size() < most) out->push_back(head + std::string(rest));
    return;
  }
  // Each number of the first bracket with all that the others make: r1n1 r1n2 r2n1 r2n2.
  for (const std::string& number : numbers) {
    if (out->size() >= most) return;
    Expand(head + std::string(rest.substr(0, open)) + number, rest.substr(close + 1), most, out);
  }
}

}  // namespace

std::vector<std::string> ExpandHostList(std::string_view list, size_t most) {
  std::vector<std::string> out;
  size_t begin = 0;
  // Commas within brackets part numbers, not hosts.
  int depth = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    const bool end = i == list.size() || (depth == 0 && (list[i] == ',' || list[i] == ' '));
    if (!end) {
      depth += list[i] == '[' ? 1 : list[i] == ']' && depth > 0 ? -1 : 0;
      continue;
    }
    if (i > begin) Expand({}, list.substr(begin, i - begin), most, &out);
    begin = i + 1;
  }
  return out;
}

}  // namespace ncclwhy

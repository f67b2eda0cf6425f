#include "analyze/record_line.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace ncclwhy {
namespace {

constexpr size_t kLeastCells = 4;
constexpr size_t kMostWords = 2;  // of a cell: `5 (2m`, `Tesla V100`

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// The texts between bars, or between blanks of which there are two or more.
std::vector<std::string_view> CellsOf(std::string_view text) {
  const bool bars = text.find('|') != std::string_view::npos;
  std::vector<std::string_view> out;
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    const bool ends =
        at == text.size() ||
        (bars ? text[at] == '|'
              : IsBlank(text[at]) && (text[at] == '\t' || at + 1 == text.size() || IsBlank(text[at + 1])));
    if (!ends) continue;
    if (const std::string_view cell = text.substr(begin, at - begin); !SplitWords(cell).empty()) out.push_back(cell);
    begin = at + 1;
  }
  return out;
}

bool IsRow(std::string_view text) {
  const std::vector<std::string_view> cells = CellsOf(text);
  return cells.size() >= kLeastCells && std::all_of(cells.begin(), cells.end(), [](std::string_view cell) {
           return SplitWords(cell).size() <= kMostWords;
         });
}

// `Priority=4294901757`, `ReqB:S:C:T=0:0:*:*`, `Dependency=(null)`; what stands in quotes is said by somebody
bool IsField(std::string_view word) {
  const size_t sign = word.find('=');
  return sign != std::string_view::npos && sign > 0 && IsAlpha(word[0]) &&
         word.find_first_of("\"'") == std::string_view::npos;
}

}  // namespace

bool IsRecord(std::string_view text) {
  const std::vector<std::string_view> words = SplitWords(text);
  return IsRow(text) || (!words.empty() && std::all_of(words.begin(), words.end(), IsField));
}

}  // namespace ncclwhy

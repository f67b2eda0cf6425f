#include "report/cut_prose.h"

#include <algorithm>

namespace ncclwhy {

bool EndWithSentence(std::vector<std::string>* lines, size_t rows) {
  size_t whole = 0;
  for (size_t i = 0; i < rows; ++i) whole += (*lines)[i].size();
  size_t before = whole;
  for (size_t row = rows; row-- > 0;) {
    const std::string& line = (*lines)[row];
    before -= line.size();
    for (size_t end = line.size(); end > 0; --end) {
      const std::string_view kept(line.data(), end);
      const bool chinese = kept.ends_with("\xE3\x80\x82");                                        // 。
      const size_t semicolon = kept.ends_with(';') ? 1 : kept.ends_with("\xEF\xBC\x9B") ? 3 : 0;  // ；
      // What stands behind the stop is in the next row where the stop ends one.
      const std::string_view next = end < line.size() ? std::string_view(line).substr(end) : (*lines)[row + 1];
      const size_t word = next.find_first_not_of(' ');
      const bool apart = end == line.size() || next.front() == ' ';
      const bool begins = word != std::string_view::npos && next[word] >= 'A' && next[word] <= 'Z';
      if (!chinese && !(kept.ends_with('.') && apart && begins) && !(semicolon > 0 && (apart || semicolon > 1)))
        continue;
      // Less than half of the room: a cut sentence says more.
      if (2 * (before + end) < whole) return false;
      (*lines)[row].resize(end - semicolon);
      lines->resize(row + 1);
      return true;
    }
  }
  return false;
}

size_t EndOfClause(std::string_view row, size_t room) {
  size_t best = 0;
  for (const std::string_view mark : {", ", "; ", " or ", " and ", "\xEF\xBC\x8C", "\xEF\xBC\x9B"}) {  // ，；
    const size_t at = row.rfind(mark);
    if (at != std::string_view::npos) best = std::max(best, at);
  }
  while (best > 0 && std::string_view(",; ").find(row[best - 1]) != std::string_view::npos) --best;
  if (best * 2 > room) return best;
  const size_t blank = row.rfind(' ');
  return blank != std::string_view::npos && blank * 2 > room ? blank : row.size();
}

}  // namespace ncclwhy

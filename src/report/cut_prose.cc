#include "report/cut_prose.h"

#include <algorithm>

#include "base/utf8.h"

namespace ncclwhy {
namespace {

constexpr std::string_view kCut = "\xE2\x80\xA6";  // …

// /dev/shm/nccl-Bv5h3H   ProcessGroupNCCL.cpp:825   NCCL_IB_HCA   0x7f3a5c000b60
bool IsName(std::string_view word) { return word.find_first_of("/\\_.:=0123456789") < word.find_last_not_of(".:,;"); }

}  // namespace

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

std::string_view WholeWords(std::string_view text, size_t columns) {
  const std::string_view part = PrefixOfWidth(text, columns);
  if (part.size() == text.size() || part.empty() || text[part.size()] == ' ') return part;
  const size_t blank = part.rfind(' ');
  const size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
  const std::string_view word = text.substr(begin, text.find(' ', begin) - begin);
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (!std::all_of(word.begin(), word.end(), is_ascii)) return part;
  if (begin > 0) return IsName(word) || blank * 4 > part.size() * 3 ? part.substr(0, blank) : part;
  // A path alone is worth more room than there is, in reason.
  return word.find('/') != std::string_view::npos && word.size() <= 2 * columns ? word : part;
}

std::string WithCutSign(std::string_view text) {
  // What was cut before has its sign already, and a comma needs something behind it.
  const auto needless = [&] { return text.ends_with(' ') || text.ends_with(',') || text.ends_with(';'); };
  while (needless() || text.ends_with(kCut)) text.remove_suffix(needless() ? 1 : kCut.size());
  const bool apart = text.ends_with(':') || IsName(text.substr(text.rfind(' ') + 1));
  return std::string(text) + (apart ? " " : "") + std::string(kCut);
}

}  // namespace ncclwhy

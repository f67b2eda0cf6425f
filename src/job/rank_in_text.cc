#include "job/rank_in_text.h"

#include <algorithm>
#include <cctype>

#include "base/numbers.h"
#include "base/text.h"

namespace ncclwhy {
namespace {

// "local_rank 3" and "ranks 3" name no rank, "for rank 3" names another.
bool NamesSpeaker(std::string_view before) {
  // "world_rank" ends in a word character in front.
  if (!before.empty() && IsWordChar(before.back())) return false;
  for (const std::string_view other : {"for ", "from ", "to ", "with ", "of ", "local "}) {
    if (before.ends_with(other)) return false;
  }
  return true;
}

}  // namespace

std::string HostBeforeRank(std::string_view text) {
  const auto part_of_name = [](char c) { return IsWordChar(c) || c == '-' || c == '.'; };
  // gpu-a17: Test CUDA failure common.cu:732 'invalid device ordinal'
  for (const std::string_view said : {": Test CUDA failure", ": Test NCCL failure"}) {
    const size_t at = text.find(said);
    if (at == std::string_view::npos || at == 0) continue;
    size_t begin = at;
    while (begin > 0 && part_of_name(text[begin - 1])) --begin;
    return std::string(text.substr(begin, at - begin));
  }
  // `[hgx-03] rank 5: …` and `hgx-03: rank 5 …`.
  const bool bracket = text.starts_with('[');
  const size_t end = bracket ? text.find("] rank ") : text.find(": rank ");
  if (end == std::string_view::npos) return {};
  const std::string_view host = text.substr(bracket ? 1 : 0, end - (bracket ? 1 : 0));
  if (host.empty() || !std::all_of(host.begin(), host.end(), part_of_name)) return {};
  if (std::isalpha(static_cast<unsigned char>(host.front())) == 0) return {};
  // A hyphen and a number behind it: `Error: rank 3` has the form, too.
  const size_t dash = host.rfind('-');
  if (dash == std::string_view::npos) return {};
  const bool number = host.find_first_of("0123456789", dash) != std::string_view::npos;
  return number ? std::string(host) : std::string();
}

int32_t RankInText(std::string_view text) {
  constexpr size_t kMarks = 3;  // `": `
  int32_t found = -1;
  for (const std::string_view word : {"rank", "Rank", "RANK"}) {
    for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size())) {
      if (!NamesSpeaker(text.substr(0, at))) continue;
      size_t begin = at + word.size();
      if (text.substr(begin).starts_with("ID")) begin += 2;  // RankID:19, of HCCL
      // Up to three signs between: `rank": 3`, `rank = 3`, `rank=3`.
      while (begin < text.size() && begin < at + word.size() + 2 + kMarks &&
             std::string_view(" \"':=").find(text[begin]) != std::string_view::npos) {
        ++begin;
      }
      size_t end = begin;
      while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
      const auto rank = ParseInt<int32_t>(text.substr(begin, end - begin));
      if (!rank) continue;
      // Two ranks in one text: it speaks of both.
      if (found >= 0 && found != *rank) return -1;
      found = *rank;
    }
  }
  return found;
}

}  // namespace ncclwhy

#include "parser/fast/edge_line_memo.h"

#include "parser/scan.h"

namespace ncclwhy {
namespace {

constexpr std::string_view kChannel = "Channel ";
constexpr size_t kMostDigits = 6;  // longer numbers are no channel's, and are parsed

// Behind the digits at `at`, of which there is one at least; 0 where there is none, or too many.
size_t BehindNumber(std::string_view text, size_t at) {
  const size_t begin = at;
  while (at < text.size() && scan::IsDigit(text[at])) ++at;
  return at == begin || at - begin > kMostDigits ? 0 : at;
}

}  // namespace

std::string_view EdgeLineMemo::BehindChannel(std::string_view body) {
  if (!body.starts_with(kChannel)) return {};
  size_t at = BehindNumber(body, kChannel.size());
  if (at > 0 && at < body.size() && body[at] == '/') at = BehindNumber(body, at + 1);
  constexpr std::string_view kColon = " : ";
  if (at == 0 || body.substr(at, kColon.size()) != kColon) return {};
  at += kColon.size();
  while (at < body.size() && scan::IsSpace(body[at])) ++at;
  return body.substr(at);
}

size_t EdgeLineMemo::CountLine(uint32_t process, std::string_view text) {
  if (process >= latest_.size() || latest_[process] == IndexTable::kEmpty) return 0;
  const std::string_view edge = BehindChannel(text);
  for (const uint32_t next : entries_[latest_[process]].next) {
    if (next == IndexTable::kEmpty) continue;
    // Where its line would end is known, so the newline is not looked for. A text that was never kept has no size.
    const Entry& e = entries_[next];
    if (e.size == 0 || e.size >= edge.size() || edge[e.size] != '\n' || !e.Is(edge.substr(0, e.size))) continue;
    Turn(process, next);
    return static_cast<size_t>(edge.data() - text.data()) + e.size;
  }
  return 0;
}

}  // namespace ncclwhy

#include "parser/fast/edge_line_memo.h"

#include "parser/scan.h"

namespace ncclwhy {

std::string_view EdgeLineMemo::BehindChannel(std::string_view body) {
  scan::Cursor c(body);
  uint64_t ignored = 0;
  if (!c.Literal("Channel ") || !c.Uint(&ignored)) return {};
  if (c.Char('/') && !c.Uint(&ignored)) return {};
  if (!c.Literal(" : ")) return {};
  c.SkipSpaces();
  return c.Rest();
}

size_t EdgeLineMemo::CountLine(uint32_t process, std::string_view text) {
  if (entries_.empty()) return 0;
  const std::string_view edge = BehindChannel(text);
  const size_t end = edge.substr(0, kMostText + 1).find('\n');
  if (end == std::string_view::npos || !Count(process, edge.substr(0, end))) return 0;
  return static_cast<size_t>(edge.data() - text.data()) + end;
}

}  // namespace ncclwhy

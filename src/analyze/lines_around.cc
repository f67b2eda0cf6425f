#include "analyze/lines_around.h"

#include <algorithm>

namespace ncclwhy {

std::vector<ContextLine> LinesAround(const SourceFacts& facts, uint32_t line) {
  const auto before = [](const Event& event, uint32_t wanted) { return event.line < wanted; };
  const auto at = std::lower_bound(facts.events.begin(), facts.events.end(), line, before);
  std::vector<ContextLine> out;
  // One line can be several events.
  const auto add = [&](const Event& event) {
    if (event.line == line || (!out.empty() && out.back().line == event.line)) return false;
    out.push_back({event.line, std::string(facts.Str(event.text))});
    return true;
  };
  size_t count = 0;
  for (auto it = at; it != facts.events.begin() && count < kContextLines;) {
    --it;
    if (line - it->line > kContextDistance) break;
    if (add(*it)) ++count;
  }
  std::reverse(out.begin(), out.end());
  count = 0;
  for (auto it = at; it != facts.events.end() && count < kContextLines; ++it) {
    if (it->line - line > kContextDistance) break;
    if (add(*it)) ++count;
  }
  return out;
}

}  // namespace ncclwhy

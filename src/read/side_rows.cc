#include "read/side_rows.h"

#include <algorithm>

#include "base/limits.h"

namespace ncclwhy {

void KeepSideRows(std::string_view text, SourceFacts* facts) {
  const uint64_t lines = facts->counters.Get(Counter::kLines);
  if (facts->counters.Get(Counter::kNccl) > 0 || lines < 2 || lines > limits::kSideRows) return;
  uint32_t number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    facts->rows.push_back({number, facts->strings.Intern(line.substr(0, limits::kSideRowBytes))});
  }
}

}  // namespace ncclwhy

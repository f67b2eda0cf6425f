#include "rules/engine/which_end.h"

#include <string_view>

namespace ncclwhy {

std::string WhichEnd::Of(const PlacedHit& placed, const HitIndex& index) {
  // Lines from one row of a list to the next one that names somebody.
  constexpr uint32_t kOneList = 12;
  const bool waits = rule_.sign.life == Life::kWaiting;
  if (rule_.sign.life != Life::kEnding && !waits) return {};
  const SourceFacts& facts = index.Facts(placed.where.source);
  if (rule_.sign.how == Ending::kException) {
    const std::string_view text = index.Text(placed);
    return std::string(text.substr(0, text.find(": ")));
  }
  // A launcher's table tells of each rank: "rank      : 2 (local_rank: 2)", "exitcode  : 1 (pid: 5377)".
  std::string which;
  for (const auto& [name, text] : placed.hit->captures) {
    const std::string_view of = facts.Str(name);
    const bool who = of == "culprit_rank" || of == "culprit_host" || of == "job_id";
    if (who || (!waits && (of == "exit_code" || of == "pid"))) which += std::string(facts.Str(text)) + " ";
  }
  if (!waits) return which;
  Waiting& list = waits_[{placed.where.source.value, placed.hit->process}];
  if (list.line == 0 || placed.where.line > list.line + kOneList) list.whose = which;
  list.line = placed.where.line;
  return list.whose;
}

}  // namespace ncclwhy

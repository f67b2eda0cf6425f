// A finding while further hits are folded into it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/finding.h"

namespace ncclwhy {

// What lines of one list say of each rank that they name. Horovod's "Missing ranks:" has a line for everybody where
// ranks wait for different tensors, and then the first line is no more to blame than the last:
//   5: [HorovodBroadcast_metrics]
//   6: [HorovodAllreduce_grads_0, …]
//   7: [HorovodBroadcast_metrics]
class ListedRanks {
 public:
  // The first thing that is said of a rank counts. Bounded: 4,096 ranks, 200 bytes of what is said.
  // Called for each hit, in the order of lines; empty views are nobody.
  void Note(std::string_view rank, std::string_view what);
  // Three and more ranks of which not all is the same: the one of which another thing is said than of all the rest,
  // else nobody.
  // In the field culprit_rank; one that a single line captured goes away where the list tells otherwise.
  void Tell(Finding* finding) const;

 private:
  std::map<std::string, std::string> said_;  // by rank; the first thing said
};

// `boosted` is empty until a hit was folded in, and has one element more than the rule has boosts.
// Whose hits go together is told by FoldKey (resolve.cc).
struct Folded {
  Finding finding;
  std::vector<bool> boosted;  // by boost condition
  ListedRanks listed;
  size_t captures = 0;                      // of the line that is quoted
  uint32_t pattern = 0;                     // likewise
  std::pair<SourceId, uint32_t> counted{};  // the line that was counted last; lines come in their order

  bool Counted(SourceId source, uint32_t line) const { return counted == std::pair(source, line); }

  // Of a message of several lines the one that says most is quoted.
  //   oom-kill:constraint=CONSTRAINT_NONE,…,task=train,pid=4711,uid=1004
  //   Out of memory: Killed process 4711 (train) total-vm:642831224kB, anon-rss:508193020kB
  bool SaysMore(SourceId source, uint32_t line, const Hit& hit) const {
    constexpr uint32_t kMessageLines = 2;
    const bool same_message =
        finding.line != 0 && finding.source == source && line > finding.line && hit.pattern != pattern;
    return same_message && line <= finding.line + kMessageLines && hit.captures.size() > captures;
  }
};

}  // namespace ncclwhy

// Runs one behind the other in a source, by what launchers say and by how work begins: where NCCL says little.
#pragma once

#include <cstdint>
#include <vector>

#include "job/life_sign.h"
#include "parser/facts.h"

namespace ncclwhy {

// A line of a source that tells of its life, or that something is wrong.
struct Mark {
  uint32_t line = 0;
  Life life = Life::kNone;     // kNone: an alarm
  bool of_job = false;         // said of the job as a whole, or by the launcher of one of its processes
  Ending how = Ending::kNone;  // of an ending
  bool suite = false;          // of an ending: a test runner's, whose tests are no runs of their own
  bool bad() const { return life == Life::kEnding && how != Ending::kClean; }
};

// The first lines of the runs behind the first one, ascending. A launcher or scheduler told the end of a job, or
// another launch begins; nobody who worked before goes on, and work begins from the start. `marks` in the order of
// their lines. `attempts`: attempts at one job are runs, too. Empty: one run, as far as can be told.
std::vector<uint32_t> FollowingRuns(const SourceFacts& facts, const std::vector<Mark>& marks, bool attempts);

}  // namespace ncclwhy

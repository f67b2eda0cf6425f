// Clocks of hosts that stand apart, in words.
//
//   node2's clock is 37.2 s behind node1's (±0.4 s, from 3 shared events); its steps are moved by that
#pragma once

#include <string>
#include <vector>

#include "ncclwhy/report.h"
#include "report/words.h"

namespace ncclwhy {

std::string ClockSentence(const HostOffset& clock, const Words& words);

enum class TellsClock : uint8_t {
  kDrawn,       // with steps in the story
  kMisleading,  // far enough apart to put lines in the wrong order
};
// A sentence for each, in the order of the report; above a few of them only how many more.
std::vector<std::string> ClockNotes(const Report& report, const Words& words, TellsClock which);

// " (-37.2 s)": what was added to the time that the step's line prints; empty where nothing was.
std::string MovedBy(const TimelineStep& step, const Words& words);

}  // namespace ncclwhy

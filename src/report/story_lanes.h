// The rows of the picture of a story: ranks whose tracks look alike in one row, whoever is blamed on top, and rows for
// what the steps say of hosts and of the job.
//
//   rank 3 node2       ──────────────────                       ✗
//   job                                  ● 22 of 60 steps           ■ srun reports task 3 …
//   ranks 0-2 node2    ▬▬▬▬▬▬▬▬▬▬▬▬▬▬▬▬▬▬                       ●
#pragma once

#include <string>
#include <vector>

#include "ncclwhy/report.h"
#include "report/words.h"

namespace ncclwhy {

struct StoryLane {
  std::string label;
  std::vector<int32_t> ranks;  // empty: of a host or of the job
  bool culprit = false;
  bool seen = true;
  std::vector<TrackPart> parts;  // of all of them together: from the first beginning to the last end
  std::vector<size_t> steps;     // of the timeline
};

struct StoryLanes {
  std::vector<StoryLane> lanes;
  // Of the axis. What ranks did long before the first step begins with it.
  double begin = 0;
  double end = 0;
  uint64_t left_out = 0;  // lanes for which there is no room
};

// At most `most` lanes: where there are more kinds of ranks they are taken for alike more easily.
StoryLanes LanesOf(const Report& report, const Words& words, size_t most);

}  // namespace ncclwhy

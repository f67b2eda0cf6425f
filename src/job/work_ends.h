// WorkEnds: where the work of each source came to its end.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "job/job_model.h"
#include "job/life_sign.h"

namespace ncclwhy {

// By source a line, 0: its work has not come to an end, as far as it tells.
struct WorkEnds {
  std::vector<uint32_t> lines;
  std::vector<uint32_t> complete;             // the same, of pulses alone that reached what they count to
  std::map<uint32_t, const LifeSign*> signs;  // the words that say so, by source
};

// A word that says so and that no beat follows, or a pulse that has reached what it counts to. Points into `signs`.
WorkEnds FindWorkEnds(const JobModel& model, const std::vector<LifeSign>& signs);

// Whether work goes on behind a line. What only then begins, as what each rank says when it leaves, must be steady.
bool WorkGoesOn(const JobModel& model, SourceId source, uint32_t line);

// Whether ranks are brought together only behind a line: what was counted up to there was getting ready, or an attempt
// before.
//   index shard 26/26 ok      node1:4711:4711 [0] NCCL INFO Bootstrap: Using eth0:10.0.0.1<0>
bool NcclBegins(const JobModel& model, SourceId source, uint32_t line);

}  // namespace ncclwhy

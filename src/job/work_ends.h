// WorkEnds: where the work of each source came to its end.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "job/job_model.h"
#include "job/life_sign.h"

namespace ncclwhy {

// A program that stops its steady work to say so many new things has come to its end.
inline constexpr uint64_t kSteadyBeats = 20;
inline constexpr uint64_t kLastNews = 5;

// By source a line, 0: its work has not come to an end, as far as it tells.
struct WorkEnds {
  std::vector<uint32_t> lines;
  std::vector<uint32_t> complete;             // the same, of pulses alone that reached what they count to
  std::map<uint32_t, const LifeSign*> signs;  // the words that say so, by source
};

// A word that says so and that no beat follows, or a pulse that has reached what it counts to. Points into `signs`.
WorkEnds FindWorkEnds(const JobModel& model, const std::vector<LifeSign>& signs);

// Whether one of these pulses, which are of one source, counts something of a step, beside the work: nobody names it,
// it comes now and then, and it fell back in front of its end.
//   rank 3: 2 of 8 groups have zero advantage      step  212 | reward 0.622 …      rank 2: 8 of 8 groups have zero …
bool CountsAside(const std::vector<PulseFacts>& pulses, const PulseFacts& count);

// Whether work goes on behind a line. What only then begins, as what each rank says when it leaves, must be steady.
bool WorkGoesOn(const JobModel& model, SourceId source, uint32_t line);

// Whether ranks are brought together only behind a line: what was counted up to there was getting ready, or an attempt
// before.
//   index shard 26/26 ok      node1:4711:4711 [0] NCCL INFO Bootstrap: Using eth0:10.0.0.1<0>
bool NcclBegins(const JobModel& model, SourceId source, uint32_t line);

// Behind the last beat of every file that has a pulse stand new things: results, sizes, where the model was saved.
// Not where the work stands far from what it counts to: "iteration 44/ 10000", and what others say of that. `pulse` is
// that of the work, or null.
bool WoundUp(const JobModel& model, const PulseFacts* pulse);

}  // namespace ncclwhy

// Silence: whether other lines of a source go on long after its work has stopped.
//   23:14:22.002 I s=119 fwd=1732 …      23:17:05.186 D alive mlx-n2 load=8.16      …      00:07:05.218 D alive mlx-n2
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "job/job_model.h"
#include "job/life_sign.h"

namespace ncclwhy {

// The stamp of a line: that of its event, else the one that its text begins with; empty without.
std::string_view StampOf(const JobModel& model, const Place& place);

// When a source spoke last; empty where no stamp tells.
std::string_view LastStampOf(const JobModel& model, SourceId source);

// Seconds from one stamp to another of one output. Two programs may stamp differently, with and without a date: then
// the time of the day has to do.
std::optional<double> TimeBetween(std::string_view first, std::string_view last);

// Of a source the pulse that beat last, among those that have stamps and a few beats.
const PulseFacts* LastStampedPulse(const SourceFacts& facts);

// Whether between two lines of a source something stands that is new and no complaint: it evaluated, or wrote a
// checkpoint.
bool SaysMoreBetween(const SourceFacts& facts, uint32_t after, uint32_t before);

// A line at which a program still only repeats itself though its work, which counts something, has not gone on for many
// times as long as a step took, and for ten minutes at least; nothing where any source works on, or had come to what it
// counts to. No word says that the job hangs, and none is needed.
std::optional<Place> SilentWork(const JobModel& model);

// The last line of a source in which somebody has counted the seconds of his waiting for ten minutes at least
// (WaitFacts), and nothing else goes on: no work, nothing new, there or in another source.
std::optional<Place> CountedWait(const JobModel& model);

// The latest line at which somebody entered what ends only when all have come, in a job that never worked, while others
// (telemetry, a watcher) only repeat themselves for ten minutes at least behind it; nothing where anything new follows.
//   h3: I0430 10:01:24.331302 … Rendezvous'ing worker group      h3: telemetry 10:02:00 gpu_util=0 …      10:04:00 …
const LifeSign* SilentStart(const JobModel& model, const std::vector<LifeSign>& signs);

}  // namespace ncclwhy

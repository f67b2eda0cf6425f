// Standstill: how long the work had already stood still when a line tells of the end. A job that is cancelled right
// behind a step was well; one that had made no step for forty minutes was cancelled because it hung.
//   2026-11-26 07:18:36,409 - INFO - step 11/20 loss 2.41
//   W1126 07:19:17.449000 10932 torch/distributed/elastic/agent/server/api.py:739] Received 15 death signal
#pragma once

#include <optional>
#include <string>

#include "job/job_model.h"
#include "job/outcome.h"

namespace ncclwhy {

// Seconds from the last sign of work to the first line that shows how the job ended, in one source and by its stamps.
// Nothing where they do not tell, where the job ended well, where it is no more than a few of its steps took, and where
// the source has new things to say in between.
std::optional<double> StoodStill(const JobModel& model, const OutcomeReading& outcome);

// Whether the stamps of a source show that a minute went by. Who has not come by then is missing; before it, or without
// a clock, it may only be late.
bool CoversAMinute(const JobModel& model);

// 11520 → "3 h 12 min", its two largest units; empty below a second.
std::string DurationInWords(double seconds, bool chinese);

}  // namespace ncclwhy

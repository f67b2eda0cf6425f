// Performance reading: the paths that a job used, against what the hardware that its log lists would allow. Warnings
// only, never a failure; where the log lists no hardware, nothing is said.
#pragma once

#include "job/job_model.h"
#include "ncclwhy/language.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Adds perf.socket-fallback, perf.no-p2p, perf.slow-fabric and ib.gdr-unavailable, each at most once and only when no
// cause or warning of the report has that id.
void AddPerformanceReading(const JobModel& model, Language language, Report* report);

}  // namespace ncclwhy

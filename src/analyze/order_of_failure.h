// What came first: behind the first process that ended of itself, what the others complain of follows from that.
#pragma once

#include <vector>

#include "analyze/evidence.h"
#include "job/job_model.h"
#include "job/life_sign.h"
#include "job/outcome.h"

namespace ncclwhy {

// Marks as consequences the complaints of other processes that stand behind the first end of one that ended of its own
// accord (an exception of the program, an abort of the job by one rank) when nobody had complained before it:
//   [rank6]: ValueError: …      … NET/IB: Got completion from peer 10.2.0.12<49936> with status=12 …
// What the kernel, a scheduler or the same process says later may be the reason, and stays. Only within a source: files
// have no common clock.
void MarkWhatFollowed(const JobModel& model, const std::vector<LifeSign>& signs, const OutcomeReading& outcome,
                      std::vector<EvidenceItem>& items);

}  // namespace ncclwhy

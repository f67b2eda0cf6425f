// The host at which a failure shows alone: of several, only one prints what failed; or all but one wait.
#pragma once

#include <string>
#include <vector>

#include "analyze/evidence.h"
#include "analyze/rank_causes.h"
#include "job/job_model.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Of the line itself, of its process, of its file's name, or the only host of the job that the line names; may be
// empty.
//   [kmsg gpu-a17] NVRM: Xid (PCI:0000:9d:00): 79, …
std::string HostOfFinding(const JobModel& model, const Finding& finding);

// Gives a cause without culprits that host. `waits`: the cause is that somebody did not come, so it is the one host of
// which nobody complains. False: nothing is told.
bool BlameOnlyHost(const JobModel& model, const std::vector<EvidenceItem>& items, const Hypothesis& hypothesis,
                   bool waits, Language language, Cause* cause);

}  // namespace ncclwhy

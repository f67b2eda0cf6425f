// What keeps a job from starting, of a job that has worked: it was got over.
//   k8s_events.txt: 57m  Warning  BackOff  pod/launcher  … (ssh: connect to host worker-0 port 2222: Connection refused)
//   launcher.log:   step 609 …
#pragma once

#include <vector>

#include "analyze/evidence.h"
#include "job/outcome.h"
#include "kb/loader/kb.h"

namespace ncclwhy {

// Marks as survived what speaks for a cause that nobody has who works (`before_work` of a cause), where it stands in a
// source that shows no work itself, so that no order tells.
void MarkBeforeWork(const JobModel& model, const KnowledgeBase& kb, const OutcomeReading& outcome,
                    std::vector<EvidenceItem>& items);

}  // namespace ncclwhy

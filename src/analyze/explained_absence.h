// Explained absence: a rank that is missed, late or gone without a word, as comparisons have it, and that tells itself
// what it broke of; or whose host does.
//   15: md_gpu: CUDA error 101 'invalid device ordinal' in cudaSetDevice(7)      "rank 15 of 16 never started"
//   node3: The system will power off now!                                        "peers lost their connection to node3"
#pragma once

#include <vector>

#include "analyze/evidence.h"
#include "job/job_model.h"
#include "kb/loader/kb.h"

namespace ncclwhy {

// What a query says of the absence of such a rank becomes a consequence of the rank's own line, which counts even where
// others worked on behind it, if it is the rank's last word. After MarkSurvived and MarkConsequences.
void MarkExplainedAbsence(const JobModel& model, const KnowledgeBase& kb, std::vector<EvidenceItem>& items);

}  // namespace ncclwhy

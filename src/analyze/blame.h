// Blame: from the evidence of a cause to who broke. The messenger is not the culprit: a line may point at a peer, an
// address, a local rank or a rank that wrote nothing.
#pragma once

#include <vector>

#include "analyze/evidence.h"
#include "analyze/rank_causes.h"
#include "kb/loader/kb.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Best first, at most eight.
std::vector<Culprit> FindCulprits(const JobModel& model, const std::vector<EvidenceItem>& items,
                                  const Hypothesis& hypothesis, Language language);

// Of a rank that crashed nobody knows which: the host to which the closed connections lead. True when that named one.
bool BlameLostPeer(const JobModel& model, const std::vector<EvidenceItem>& items, Language language, Cause* cause);

}  // namespace ncclwhy

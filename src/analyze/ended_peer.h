// What peers say of one that stopped answering follows from its own end, where its own log or its scheduler tells that.
#pragma once

#include <vector>

#include "analyze/evidence.h"
#include "job/job_model.h"
#include "job/life_sign.h"
#include "job/outcome.h"

namespace ncclwhy {

// Marks as consequences the complaints about a peer, of all hosts but its own, when one of them names a host that ended
// of its own accord (an exception of the program, a signal) or was lost, and that had not complained of a peer itself:
//   n2: [rank19]: RuntimeError: found NaN in local grad norm      n1: NET/IB: Got completion from peer 10.60.7.1<44000>
//   with status=12 …      n0, which talks to n1: the same a moment later
// It needs no clock: whoever is first lost by the fabric complains of a peer before it ends.
void MarkSaidOfEndedPeer(const JobModel& model, const std::vector<LifeSign>& signs, const OutcomeReading& outcome,
                         std::vector<EvidenceItem>& items);

}  // namespace ncclwhy

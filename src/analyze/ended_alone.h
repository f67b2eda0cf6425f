// Who ended alone: a line on a shared terminal belongs to no process, but the launchers tell who left of its own
// accord.
//   RuntimeError: CUDA error: device-side assert triggered
//   failed (exitcode: -6) local_rank: 2 (pid: 5377) of binary: /opt/venv/bin/python
#pragma once

#include <vector>

#include "analyze/culprit_resolver.h"
#include "analyze/evidence.h"
#include "analyze/rank_causes.h"

namespace ncclwhy {

// Nobody is accused, and what shows the cause was printed by a process that it does not name: the one process that all
// launchers saw end with a code or signal of its own. Whom a launcher ended (SIGTERM, SIGKILL) is none of those.
void NameEndedAlone(const CulpritResolver& resolver, const std::vector<EvidenceItem>& items,
                    const Hypothesis& hypothesis, bool chinese, CulpritResolver::Candidates* list);

}  // namespace ncclwhy

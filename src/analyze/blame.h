// Blame: from the evidence of a cause to who broke. The messenger is not the culprit: a line may point at a peer, an
// address, a local rank or a rank that wrote nothing.
#pragma once

#include <optional>
#include <vector>

#include "analyze/case_file.h"
#include "analyze/rank_causes.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Best first, at most eight; of ranks that show the same, up to 64.
std::vector<Culprit> FindCulprits(const CaseFile& c, const Hypothesis& hypothesis);

// Somebody is gone (`gone` of a cause) and nobody knows who: the host to which the closed connections lead. Null when
// they tell none.
std::optional<Culprit> LostPeer(const CaseFile& c);

}  // namespace ncclwhy

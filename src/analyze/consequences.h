// Consequences: what of a failure only follows, and, where no cause is known, the lines that report it.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/case_file.h"
#include "analyze/rank_causes.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// What rules call secondary, and what another cause explains. Several lines of one kind are one entry with a count;
// adds to `unlisted` what is behind limits::kConsequences.
std::vector<Consequence> Consequences(const CaseFile& c, const Hypothesis& best, int64_t* unlisted);

// For a failure without a cause: the lines that report it, those that say most first.
std::vector<Consequence> FailureLines(const CaseFile& c, int64_t* unlisted);

}  // namespace ncclwhy

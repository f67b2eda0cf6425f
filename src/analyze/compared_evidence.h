// What the others have: lines that show a cause by comparison.
#pragma once

#include <vector>

#include "analyze/describe_cause.h"

namespace ncclwhy {

// The line that sets the variable which the cause is about, with who sets it ("set on rank 2 only, of 4"), and the GID
// of a host that has it right.
std::vector<Evidence> ComparedEvidence(const CaseFile& c, const Hypothesis& h, const std::vector<Culprit>& culprits);

// The lines that set the variables which the first fix speaks of: what it rests on is shown.
//   NCCL INFO NCCL_IB_HCA set to mlx4_0
std::vector<Evidence> SettingsOfFix(const CaseFile& c, const Cause& cause);

// Clause for `compared`; empty when the hosts' GIDs say nothing about this cause.
std::string GidClause(const CaseFile& c, const TemplateValues& values);

}  // namespace ncclwhy

// The stable names of machine formats and of the timeline: "failure", "healthy", "undetermined", "no-nccl", "degraded";
// "succeeded", …; "rerun", …
#pragma once

#include <string_view>

#include "ncclwhy/report.h"

namespace ncclwhy {

std::string_view VerdictName(Verdict verdict);
std::string_view OutcomeName(Outcome outcome);
std::string_view ActionName(Action action);

}  // namespace ncclwhy

// Culprits of which the same is told, as one: "h100-51 (ranks 2, 3)", "rank 1 on gpu-a16, rank 3 on gpu-a17".
#pragma once

#include <vector>

#include "ncclwhy/report.h"
#include "report/words.h"

namespace ncclwhy {

// As people say it: the ranks of one host that are blamed for one reason are that host, "gpu-a17 (ranks 8-12, 15)".
std::vector<Culprit> Gathered(const std::vector<Culprit>& culprits, const Words& words);

}  // namespace ncclwhy

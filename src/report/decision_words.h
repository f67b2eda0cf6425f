// What to do now, in words: the only place that words it, so that no format says "rerun as it is" beside another's
// "find out first which process holds port 29555".
#pragma once

#include <string>

#include "ncclwhy/report.h"
#include "report/words.h"

namespace ncclwhy {

// "rerun without mlx5_2 of gpu-a17: the errors are this host's"
std::string DecisionSentence(const Decision& decision, const Words& words);

// The same in one line with the headline, which says what is wrong already: without the reason, but for one that has to
// be found out first; with the scheduler's words.
//    "rerun without node06 (sbatch --exclude=node06 job.sh)"
//    "find out first which process holds port 29555; then rerun"
std::string ShortDecision(const Decision& decision, const Words& words);

// The scheduler's words on lines of their own, behind a prompt, where formats show text as it is; empty without any.
std::string DecisionCommand(const Decision& decision);

}  // namespace ncclwhy

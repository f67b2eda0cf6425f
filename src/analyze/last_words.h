// Last words: what a program said last that it had not said before, where the logs end without telling how the job did.
//   [Rank 2] rank 2: writing checkpoint shard to /mnt/lustre/ckpt/step_000019
//   rank 0: early stopping criterion met, leaving training loop
// If the job stands still, it is there that one looks first.
#pragma once

#include <vector>

#include "job/job_model.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Of each stream the last new line, where its work did not go on behind it; what several say alike is not telling.
// The latest of a source first, at most limits::kLastWords.
std::vector<LastWord> LastWordsOf(const JobModel& model);

}  // namespace ncclwhy

// Attempts at one job whose lines stand in files of their own: attempt_0/0/stderr.log beside attempt_1/0/stderr.log,
// kubectl-logs-previous.txt beside kubectl-logs.txt, slurm-33910.0.out that tells of a requeue beside
// slurm-33910.1.out.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "job/following_runs.h"
#include "job/job_model.h"
#include "job/separate_jobs.h"

namespace ncclwhy {

// The attempts in their order, each with the files that are wholly its own; the last one goes on, and has all that says
// of no attempt to be its own. Empty where files tell of one attempt only, or of the last one nothing that lives.
// `marks`: of each source, in the order of their lines.
std::vector<JobPart> AttemptFiles(const JobModel& model, const std::vector<std::vector<Mark>>& marks);

// The number of an attempt in a file name, wherever it stands there: 1 of logs/attempt_1/0/stdout.log; -1 of
// kubectl-logs-previous.txt, which is the one before. Nothing where no word says so.
std::optional<int> AttemptInName(std::string_view name);

}  // namespace ncclwhy

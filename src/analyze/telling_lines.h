// The lines of a job that tell most of its failure, for whoever looks for failures like it.
#pragma once

#include <string>
#include <vector>

#include "analyze/evidence.h"
#include "job/job_model.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Most telling first, none twice, at most a few dozen.
struct TellingLines {
  std::vector<std::string> judged;    // of which rules or the catalogue say what they mean
  std::vector<std::string> unjudged;  // exceptions, warnings and last words of which nobody does
};

// Of a named cause: its evidence, what followed, what shows the outcome. Where none is named: alarms, and what nobody
// judges; never what only reports somebody else's failure, which is the same in every job.
TellingLines TellingLinesOf(const JobModel& model, const std::vector<EvidenceItem>& items, const Report& report);

}  // namespace ncclwhy

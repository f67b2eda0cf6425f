// What to collect next, judged from what the logs lack: entries of the table "collect" of kb/codes.json.
#pragma once

#include <vector>

#include "analyze/case_file.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Where the logs do not decide.
std::vector<Collect> NextSteps(const CaseFile& c, const Report& report, bool hangs);

// For logs in which nothing failed and that stop before the job does: what tells how it ended, in the words of the
// scheduler that the logs show (member `status` of its entry in the table "environment", JOBID in it); and where to
// look if it has not ended but stands: at the rank that is behind the others, or that spoke last.
std::vector<Collect> HowItEnded(const CaseFile& c, const Report& report);

}  // namespace ncclwhy

// Two runs of a job, compared: profiles → JobDiff.
#pragma once

#include "analyze/job_profile.h"
#include "kb/loader/kb.h"
#include "ncclwhy/diff.h"

namespace ncclwhy {

// One run: what was compared of it, and what the analysis said about it.
struct ComparedRun {
  std::string name;
  JobProfile profile;
  Report report;
};

JobDiff DiffJobs(const ComparedRun& good, const ComparedRun& bad, const KnowledgeBase& kb, Language language);

}  // namespace ncclwhy

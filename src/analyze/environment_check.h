// What the variables of the job say: names that nothing reads, values that mean something else than they look like,
// leftovers from debugging, ranks that disagree.
#pragma once

#include <vector>

#include "job/job_model.h"
#include "kb/loader/kb.h"
#include "ncclwhy/report.h"
#include "read/digest.h"

namespace ncclwhy {

std::vector<Warning> CheckEnvironment(const JobModel& model, const std::vector<SourceDigest>& digests,
                                      const KnowledgeBase& kb, Language language);

}  // namespace ncclwhy

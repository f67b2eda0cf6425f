// What a kernel said of another day: its log goes back for months, and the job began later.
//   [Mon Mar  2 09:11:44 2026] NVRM: Xid (PCI:0000:ca:00): 31, …      2026-03-19 16:20:02 epoch 1/60
#pragma once

#include <vector>

#include "analyze/evidence.h"
#include "job/job_model.h"

namespace ncclwhy {

// Marks as survived what a kernel said more than most of a day before the work began to be stamped, as far as both have
// a date: clocks of other zones are less apart than that. Nothing where no work is stamped.
void MarkOtherDays(const JobModel& model, std::vector<EvidenceItem>& items);

}  // namespace ncclwhy

// Strangers: what a machine's kernel says of a program that is not the job's, on a machine that others use, too.
//   NVRM: Xid (PCI:0000:41:00): 13, pid=2990, name=blender, Graphics Exception: ESR 0x51de48=0x4
#pragma once

#include <vector>

#include "analyze/evidence.h"
#include "job/job_model.h"

namespace ncclwhy {

// Marks such lines in a job of Python programs as survived: they name a program that is none of it, with a pid that is
// no process's. A pid alone tells nothing, as a container counts its own.
void MarkStrangers(const JobModel& model, std::vector<EvidenceItem>& items);

}  // namespace ncclwhy

// The host at which a failure shows alone: of several, only one prints what failed; or all but one wait.
#pragma once

#include <optional>
#include <string>

#include "analyze/case_file.h"
#include "analyze/rank_causes.h"
#include "job/job_model.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Of the line itself, of its process, of its file's name, or the only host of the job that the line names; may be
// empty.
//   [kmsg gpu-a17] NVRM: Xid (PCI:0000:9d:00): 79, …
std::string HostOfFinding(const JobModel& model, const Finding& finding);

// That host; null when none is alone. Of a cause for which ranks wait (`waits` of kb/causes) somebody did not come: it
// is the one host of which nobody complains.
std::optional<Culprit> OnlyHost(const CaseFile& c, const Hypothesis& hypothesis);

// The host that a kernel's log accuses without naming it, by its file: dmesg-gpu-r3-02.txt. Null where none or several
// do.
std::optional<Culprit> HostOfKernelLog(const CaseFile& c, const Hypothesis& hypothesis);

}  // namespace ncclwhy

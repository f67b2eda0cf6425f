// Whose GPU a kernel log means by its place on the PCI bus.
#pragma once

#include <string_view>

#include "job/job_model.h"

namespace ncclwhy {

// The process whose GPU sits there; nobody where no rank or several ranks say so, nor where it is not known (`host` is
// empty) on which of several hosts.
//   NVRM: Xid (PCI:0000:c3:00): 79, …                 "0000:c3:00"
//   amdgpu 0000:a6:00.0: GPU reset begin!             "0000:a6:00.0"
//   rank 21 nranks 32 cudaDev 5 nvmlDev 5 busId c3000
ProcessId ProcessOnGpu(const JobModel& model, std::string_view host, std::string_view bus_id);

// The rank of the job's largest communicator whose GPU sits there, of a process that may have several; null likewise.
const Rank* RankOnGpu(const JobModel& model, std::string_view host, std::string_view bus_id);

}  // namespace ncclwhy

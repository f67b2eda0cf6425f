// On which host a line was printed that says it no more itself: a heading or a prompt in front of it does.
//   ### node-b                                            root@gpu-7:~# dmesg -T | tail -1
//   amdgpu 0000:43:00.0: AMD-Vi: Event logged …           [ 8812.51] NVRM: Xid (PCI:0000:9a:00): 119, …
#pragma once

#include "job/job_model.h"

namespace ncclwhy {

// Fills JobModel::headings. Counts are: hosts that the job knows otherwise, pods that kubectl describes, hosts that are
// asked by ssh, and names of which a source has several: one name alone may be a machine on which somebody only looked,
// or no host at all. Of a model whose hosts are set.
void FindHostHeadings(JobModel& model);

}  // namespace ncclwhy

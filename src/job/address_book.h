// Which host owns an address: from the lines in which processes name their own interfaces.
#pragma once

#include "job/job_model.h"

namespace ncclwhy {

// Fills host_of_address. Addresses that two hosts claim (docker0 everywhere is 172.17.0.1) are left out.
void BuildAddressBook(JobModel& model);

// Processes of which only a launcher's label tells the host, by its address, get the name that NCCL's lines have for
// it:
//   (worker2, rank=2, pid=2902, ip=10.29.7.23) [rank8]: Traceback …      sky-9f-w2:103:104 [2] … Using eth0:10.29.7.23<0>
void NameHostsOfAddresses(JobModel& model);

// "10.0.0.7<41243>" → "10.0.0.7", "fe80::1%eth0<4>" → "fe80::1%eth0", "node3<41234>" → "node3". A view of `address`.
std::string_view WithoutPort(std::string_view address);

}  // namespace ncclwhy

// Lines that sound like a failure and are none here: what healthy jobs print, too, and what the job went on behind.
//
//   Failed to open libibverbs.so[.1]                     no RDMA on this host, NCCL takes sockets
//   Call to connect … failed : Connection refused        the next try came through
//
// Who reads a log meets them first; an answer that does not say that they were looked at is doubted.
#pragma once

#include <vector>

#include "analyze/describe_cause.h"

namespace ncclwhy {

// Those that sound worst first, each kind once, without the lines that `report` quotes for a cause.
std::vector<HarmlessLine> HarmlessLines(const CaseFile& c, const Report& report);

}  // namespace ncclwhy

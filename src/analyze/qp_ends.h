// The addresses of the two ends of an RDMA connection that failed, where the failing line names none: NCCL up to 2.21
// prints the GID of a queue pair when it makes it, on the side that sends, and says of a failed one only what failed.
//
//   rank 3  Channel 00/0 : 3[1] -> 0[0] [send] via NET/IB/1
//   rank 3  NET/IB: NCCL Dev 1 IbDev 1 Port 1 qpn 214 mtu 3 … GID 3 (0/B65A8C0FFFF0000)            192.168.101.11
//   rank 0  Channel 00/0 : 3[1] -> 0[0] [receive] via NET/IB/0
//   rank 0  Call to ibv_modify_qp failed with error Connection timed out errno 110
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/case_file.h"
#include "analyze/rank_causes.h"
#include "kb/loader/kb.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// Addresses without the prefix of those of version 4; empty where no line tells.
struct QpEnds {
  std::string own;            // of the device by which the rank is connected
  std::string peer;           // of the queue pair of the rank at the other end
  Place own_line, peer_line;  // that tell them
};
// Of the rank that prints the failing line; of several connections the one whose ends cannot reach each other. Nothing
// when the line is none of a queue pair, or names its GIDs itself.
std::optional<QpEnds> EndsOfFailedQp(const CaseFile& c, const Finding& f);

// The values `local_address` and `peer_address`, and `compared` where they tell why there is no way, of the first
// failing line of the hypothesis that has them; from the line's own GIDs where it has some.
void AddQpEnds(const CaseFile& c, const Hypothesis& h, TemplateValues* values);

// The line that tells the address of the other end, where AddQpEnds compares them: the failing line has none.
std::vector<Evidence> LineOfQpEnds(const CaseFile& c, const Hypothesis& h);

}  // namespace ncclwhy

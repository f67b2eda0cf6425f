// What ncclras says in JSON: the status of all communicators (-f json), or one event of its monitor.
//
//   {"nccl_version": "2.29.1", "communicators": [{"hash": "0xae94", "size": 2, "ranks": [{"rank": 0, "host": "172.16.64.245",
//    "pid": 1524344, "collective_counts": {"AllReduce": 64}}], "missing_ranks": [{"rank": 1, "host": …,
//    "status": {"unresponsive": true, "considered_dead": false}}]}]}
//   {"group": "LIFECYCLE", "event": "PEER_DEAD", "peer": {"host": "172.16.64.245", "pid": 1524345}}
//
// Source: src/ras/client_support.cc, NCCL 2.28.3 to 2.30; 2.28.9 forgets a comma when a rank is missing.
//
// It becomes the events that passage_reader.h makes of the same report in text: a heading, and who is listed under it.
// Positions are the numbers of the ranks in the document.
#pragma once

#include <memory>
#include <string_view>

#include "read/witness.h"

namespace ncclwhy {

// By keys that stand in its first kSniffedBytes.
bool LooksLikeRasStatus(std::string_view first);
std::unique_ptr<Witness> NewRasStatus(const WitnessContext& context);

}  // namespace ncclwhy

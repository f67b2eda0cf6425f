// A dump of PyTorch's flight recorder: the last calls of every process group of one rank, and how far each came.
//
//   {'version': '2.9', 'pg_config': {'0': {'desc': 'default_pg', 'ranks': '[0, 1, 2, 3]'}},
//    'pg_status': {'0': {'last_enqueued_collective': 13998, 'last_completed_collective': 13996}},
//    'entries': [{'collective_seq_id': 13997, 'profiling_name': 'nccl:all_reduce', 'state': 'scheduled', …}]}
//
// A pickle (nccl_trace_rank_N of the watchdog, dump_nccl_trace_pickle) or JSON (dump_nccl_trace_json).
// Source: torch/csrc/distributed/c10d/FlightRecorder.hpp and its ancestors, PyTorch 2.2 to 2.9:
//   1.x (2.2)      entries with seq_id, pg_id, time_created_us or _ns; no groups
//   2.0            seq_id of collectives and of peers' calls apart; `is_p2p`
//   2.1 – 2.3      timeout_ms; process_group is (name, description); pg_config with the groups' ranks
//   2.4 – 2.10     pg_status, data types, retired, nccl_version or comm_lib_version, threads
//
// What it becomes: an event process_group for every group, the collectives of each as a CollectiveStream whose calls
// are counted as PyTorch counts them, so that a buffer that wrapped still stands at its place, and an event
// recorded_call for each call that is not completed. The process is the rank that the groups give: a rank is in all its
// groups, and often nobody else is. Positions are the numbers of the entries.
#pragma once

#include <memory>
#include <string_view>

#include "read/witness.h"

namespace ncclwhy {

// A pickle, or a JSON object, in whose beginning a key of the recorder stands.
// A JSON key needs its quotes: a log that speaks of "pg_status" in a sentence is none.
bool LooksLikeFlightRecorder(std::string_view first);
std::unique_ptr<Witness> NewFlightRecorder(const WitnessContext& context);

}  // namespace ncclwhy

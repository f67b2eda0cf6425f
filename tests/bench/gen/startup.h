// Startup: what a rank prints until its communicators stand. In the order of NCCL's own stages.
#pragma once

#include <cstdint>

#include "gen/printer.h"

namespace ncclwhy::bench {

// Versions, plug-ins, networks: what is printed before the ranks meet. From 2.22.3 on with Init START.
void PrintLoading(Printer* printer);

// How the rank sees its host; a host that was taken for two has other numbers.
struct Place {
  int nodes = 0, local_ranks = 0, local_rank = 0;
};
Place PlaceOf(const Job& job, int rank);

// The ranks have met; up to 2.22 only now with Init START.
void PrintMeeting(Printer* printer);

// Topology, rings and trees.
void PrintTopology(const Place& place, Printer* printer);

// Connections, up to Init COMPLETE.
void PrintConnections(Printer* printer);

// The tensor and data groups, split from the world.
void PrintSplits(Printer* printer);

// Connections to peer number `step` of an all-to-all that connects lazily.
void PrintPeerChatter(uint64_t step, Printer* printer);

}  // namespace ncclwhy::bench

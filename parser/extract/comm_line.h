// The line with which NCCL introduces a communicator and says what happens to it: `[FUNC ]comm P KEY VALUE … - PHASE`.
#pragma once

#include <string_view>

#include "parser/facts_builder.h"

namespace ncclwhy {

//    ncclCommInitRank comm 0x55d0 rank 3 nranks 16 cudaDev 3 busId 9d000 commId 0x1f - Init START
// Values as printed, views of the text; what a version does not print is empty.
struct CommLine {
  std::string_view function, comm, rank, nranks, cuda_dev, nvml_dev, bus_id, comm_id, parent, color, key, split_count;
  std::string_view nnodes, local_ranks, local_rank, mnnvl;
  std::string_view phase;  // "Init START", "Abort COMPLETE", …; empty when the line has none
};

// False when the text is no such line.
// Any order of keys; those that nobody knows are skipped.
bool ParseCommLine(std::string_view body, CommLine* line);
// Into an event that was begun, empty ones left out.
void WriteCommFields(const CommLine& line, EventWriter e);

}  // namespace ncclwhy

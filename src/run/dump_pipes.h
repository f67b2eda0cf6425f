// PyTorch's ranks write their flight recorder when something comes through the pipe that each of them listens to
// (TORCH_NCCL_DEBUG_INFO_PIPE_FILE): `dump_rank_3.pipe` → `nccl_trace_rank_3`.
#pragma once

#include <chrono>
#include <string>

namespace ncclwhy {

// Asks all of them, and waits until as many dumps lie in the folder, or `patience` is over. Nothing without pipes.
void AskForDumps(const std::string& logs, std::chrono::milliseconds patience);

}  // namespace ncclwhy

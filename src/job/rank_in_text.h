// The rank that a line of a program speaks of in its own words: "rank 3: still waiting", "[Rank 3]", `"rank": 3`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ncclwhy {

// Who speaks, -1 when the text names nobody or several. A rank behind "for", "from", "to", "with" or "of" is somebody
// else: "rank 1: waiting for rank 3" is said by 1. Nor is it "local_rank 3".
int32_t RankInText(std::string_view text);

// The host that a program puts before its rank: "[worker-24] rank 2: …", "gpu-a17: rank 3: …". Only names that end with
// a number behind a hyphen: "RuntimeError: rank 3" and "epoch3: rank 1" are no hosts. Before the failures of nccl-tests
// ("gpu-a17: Test CUDA failure …") any name is one. Empty when there is none.
std::string HostBeforeRank(std::string_view text);

}  // namespace ncclwhy

// The rank that a line of a program speaks of in its own words: "rank 3: still waiting", "[Rank 3]", `"rank": 3`.
#pragma once

#include <cstdint>
#include <string_view>

namespace ncclwhy {

// Who speaks, -1 when the text names nobody or several. A rank behind "for", "from", "to" or "with" is somebody else:
// "rank 1: waiting for rank 3" is said by 1.
int32_t RankInText(std::string_view text);

}  // namespace ncclwhy

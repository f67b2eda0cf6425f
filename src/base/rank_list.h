// Lists of ranks as text: "0-7", "0-24:8" (every eighth), "3,5,9-11".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

// `ranks` ascending, in few characters.
std::string RankListText(const std::vector<int32_t>& ranks);

// The numbers; nothing when the text is anything else, or has more than `most` of them.
std::vector<int32_t> ParseRankList(std::string_view text, size_t most);

}  // namespace ncclwhy

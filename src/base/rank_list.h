// Lists of ranks as text: "0-7", "0-24:8" (every eighth), "3,5,9-11".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

// `ranks` ascending, in few characters. Two numbers are no pattern: "3,9", not "3-9:6".
std::string RankListText(const std::vector<int32_t>& ranks);

// For readers: 15, 8, 9, 10 → "8-10, 15"; of two neighbours "8, 9" is no longer than "8-9" and read faster. Of more
// ranges than `most` the first ones and "…".
std::string RankRanges(std::vector<int32_t> ranks, size_t most = SIZE_MAX);

// The numbers, in the order of the text; nothing when the text is anything else (blanks, a negative rank, a range that
// falls), or has more than `most` of them: "0-2147483647" allocates nothing.
std::vector<int32_t> ParseRankList(std::string_view text, size_t most);

}  // namespace ncclwhy

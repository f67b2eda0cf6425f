// Captions: what the report says of a line that it quotes.
#pragma once

#include <string_view>

namespace ncclwhy {

// Whether a caption repeats the line that it stands under: nearly all of its words are there.
//   what():  parquet: page header corrupt        the exception says: parquet: page header corrupt
bool SaysNothingMore(std::string_view caption, std::string_view line);

}  // namespace ncclwhy

// The words of embed_words.cc, in lower case; paths and URLs as they stand.
#pragma once

#include <string_view>

namespace ncclwhy {

// Sorted, each with a line end.
std::string_view KnownWordsText();

}  // namespace ncclwhy

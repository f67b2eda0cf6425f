// The words of embed_words.cc, in lower case, sorted; paths and URLs as they stand.
#pragma once

#include <span>
#include <string_view>

namespace ncclwhy {

std::span<const std::string_view> KnownWordsTable();

}  // namespace ncclwhy

// LIKE for timelines: the same answers as SQLite's own for text that is UTF-8, but it neither copies the text nor
// decodes it. Most rules compare the messages of thousands of events with patterns of which the first byte differs.
#pragma once

#include <string_view>

#include "store/database.h"

namespace ncclwhy {

// `%` any text, `_` one character; ASCII letters of both cases are the same. No recursion: length times length in steps
// at most.
bool IsLike(std::string_view text, std::string_view pattern);

// `text LIKE pattern` asks IsLike from now on.
Status UseLike(Database& database);

}  // namespace ncclwhy

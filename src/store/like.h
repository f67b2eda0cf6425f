// LIKE for timelines: the same answers as SQLite's own for text that is UTF-8, but it neither copies the text nor
// decodes it. Most rules compare the messages of thousands of events with patterns of which the first byte differs.
#pragma once

#include <string_view>

#include "store/database.h"

namespace ncclwhy {

// `%` any text, `_` one character; ASCII letters of both cases are the same. No recursion: length times length in steps
// at most.
// As LIKE without ESCAPE; a pattern with one is SQLite's own function of three arguments, which is not replaced.
//    IsLike("Call to ibv_reg_mr failed", "call to % failed")     true
bool IsLike(std::string_view text, std::string_view pattern);

// `text LIKE pattern` asks IsLike from now on.
// For this connection, from its next statement on.
// A timeline in memory has it; in a file of somebody, SQLite's own answers.
Status UseLike(Database& database);

}  // namespace ncclwhy

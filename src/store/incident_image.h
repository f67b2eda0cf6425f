// The incidents of a knowledge base as an SQLite database in memory, for FTS5 to search: made once, when ncclwhy is
// built or at the first search in a knowledge of somebody's own.
//
//    line(words, cause, incident, nth, open)  FTS5, a row for each line of `looked_like`; `cause` is one word,
//                                             `incident` its number, `nth` that of the line in it, `open` 1 where
//                                             nobody said what solved it
//    word(word, incidents)                    in how many incidents a word stands
#pragma once

#include <string>

#include "kb/loader/kb.h"
#include "ncclwhy/status.h"

namespace ncclwhy {

// The bytes of the database; fails where SQLite was built without FTS5.
// The same bytes for the same knowledge, so that builds can be compared. English lines only: what logs say is English.
Result<std::string> BuildIncidentImage(const KnowledgeBase& kb);

// shm.too-small → shm_too_small
// One token for FTS5, whose tokenizer ends words at a point or a hyphen.
std::string CauseWord(std::string_view cause);

}  // namespace ncclwhy

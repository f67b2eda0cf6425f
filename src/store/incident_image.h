// The incidents of a knowledge base as an SQLite database in memory, for FTS5 to search: made once, when ncclwhy is
// built or at the first search in a knowledge of somebody's own.
//
//   line(words, cause, incident, nth)   FTS5, a row for each line of `looked_like`; `cause` is one word, `incident` its
//                                       number, `nth` that of the line in it
//   word(word, incidents)               in how many incidents a word stands
#pragma once

#include <string>

#include "kb/loader/kb.h"
#include "ncclwhy/status.h"

namespace ncclwhy {

// The bytes of the database; fails where SQLite was built without FTS5.
Result<std::string> BuildIncidentImage(const KnowledgeBase& kb);

// shm.too-small → shm_too_small
std::string CauseWord(std::string_view cause);

}  // namespace ncclwhy

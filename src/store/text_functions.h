// instr, replace, trim, ltrim and rtrim that take a time in proportion to what they are given. SQLite's own compare at
// every place with the whole of the other text, in one step of its machine, which no limit of a query's time ends:
// `instr` of two values of a megabyte took seconds, and a query may ask for it in every row.
#pragma once

#include "ncclwhy/status.h"
#include "store/database.h"

namespace ncclwhy {

// Every connection has them (Database::Open). The answers are SQLite's own.
Status UseTextFunctions(Database& database);

}  // namespace ncclwhy

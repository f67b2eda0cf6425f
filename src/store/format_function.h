// printf and format that say when their text is too large. SQLite's own answer NULL then, as if there were no value.
#pragma once

#include "ncclwhy/status.h"
#include "store/database.h"

namespace ncclwhy {

// Every connection has them (Database::Open). The answers are SQLite's own; beyond SQLITE_LIMIT_LENGTH the query ends
// with SQLITE_TOOBIG.
//    SELECT printf('%2000000d', 1)
Status UseFormatFunctions(Database& database);

}  // namespace ncclwhy

// Bare columns: what a query selects beside aggregates without saying of which row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

// The result expressions of every SELECT in `sql` that hold an aggregate where another expression names a column that
// is neither in an aggregate nor grouped by: SELECT min(n), max(n), who FROM … gives the `who` of any row. With
// exactly one min() or max() and no other aggregate SQLite takes that row's columns, and nothing is bare.
//
// Reads SQL by its words and brackets, not by a grammar: what it does not understand it lets pass.
// Each once for every SELECT, as it is written there; empty where all is well.
//    SELECT min(n), max(n), who FROM x           who
//    SELECT host, count(*) FROM x GROUP BY host  nothing
//    SELECT max(line), text FROM x               nothing: the text of that line
std::vector<std::string> BareColumns(std::string_view sql);

}  // namespace ncclwhy

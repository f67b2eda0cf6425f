// One SELECT of somebody we do not trust (a rule, a user, a ticketing bot) over the public views.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "ncclwhy/status.h"
#include "store/database.h"
#include "store/store.h"

namespace ncclwhy {

// Called after a query was understood and before it runs, with the private tables that it reads.
using BeforeQuery = std::function<Status(const std::set<std::string>& tables)>;

// Refuses everything but one SELECT that reads public views (private tables only through them) and calls harmless
// functions; ends after limits::kQuerySteps, kQueryMilliseconds, kQueryRows and kQueryBytes.
Result<QueryTable> RunQuery(Database& database, std::string_view sql, const BeforeQuery& before);

// NULL columns are left out.
std::vector<QueryRow> RowsOf(QueryTable table);

}  // namespace ncclwhy

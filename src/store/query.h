// One SELECT of somebody we do not trust (a rule, a user, a ticketing bot) over the public views.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "ncclwhy/status.h"
#include "store/database.h"
#include "store/store.h"

namespace ncclwhy {

// Called after a query was understood and before it runs, with the private tables that it reads.
// It fills those of them that are still empty, outside of the query's limits: they are the program's own work.
using BeforeQuery = std::function<Status(const std::set<std::string>& tables)>;

// Queries that were understood, to be run again: in a place with many jobs each is asked the same. Bounded; must go
// before the database.
// A statement is prepared once; its rows are those of the job that is loaded when it runs. What may be read was asked
// when it was prepared, and does not depend on the job.
class KnownQueries {
 public:
  // `names_private`: kept, as the gate of a run that prepares it again has to know.
  struct Query {
    std::string text;
    bool names_private = false;
    std::set<std::string> tables;
    std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement{nullptr, sqlite3_finalize};
  };
  // By the text, letter for letter. Valid as long as this object: nothing is ever dropped.
  const Query* Find(std::string_view text) const {
    const auto it = queries_.find(text);
    return it == queries_.end() ? nullptr : &it->second;
  }
  // A full one keeps no more, and says nothing.
  void Keep(Query query) {
    if (queries_.size() < kMost) queries_.try_emplace(query.text, std::move(query));
  }

 private:
  // Some more than the catalogue has query rules; further ones are prepared each time.
  static constexpr size_t kMost = 256;
  std::map<std::string, Query, std::less<>> queries_;
};

// Refuses everything but one SELECT that reads public views (private tables only through them) and calls harmless
// functions; ends after limits::kQuerySteps, kQueryMilliseconds, kQueryRows and kQueryBytes. `known` may be null.
// kInvalidArgument: the query is wrong or refused, with SQLite's sentence or ours. kLimit: it took too long or too
// much. The first error ends it; rows that were read until then are dropped.
Result<QueryTable> RunQuery(Database& database, std::string_view sql, const BeforeQuery& before,
                            KnownQueries* known = nullptr);

// NULL columns are left out.
// A rule asks for columns by name, and a column that is NULL is one that it does not have.
std::vector<QueryRow> RowsOf(QueryTable table);

}  // namespace ncclwhy

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
using BeforeQuery = std::function<Status(const std::set<std::string>& tables)>;

// Queries that were understood, to be run again: in a place with many jobs each is asked the same. Bounded; must go
// before the database.
class KnownQueries {
 public:
  struct Query {
    std::string text;
    bool names_private = false;
    std::set<std::string> tables;
    std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement{nullptr, sqlite3_finalize};
  };
  const Query* Find(std::string_view text) const {
    const auto it = queries_.find(text);
    return it == queries_.end() ? nullptr : &it->second;
  }
  void Keep(Query query) {
    if (queries_.size() < kMost) queries_.try_emplace(query.text, std::move(query));
  }

 private:
  static constexpr size_t kMost = 128;
  std::map<std::string, Query, std::less<>> queries_;
};

// Refuses everything but one SELECT that reads public views (private tables only through them) and calls harmless
// functions; ends after limits::kQuerySteps, kQueryMilliseconds, kQueryRows and kQueryBytes. `known` may be null.
Result<QueryTable> RunQuery(Database& database, std::string_view sql, const BeforeQuery& before,
                            KnownQueries* known = nullptr);

// NULL columns are left out.
std::vector<QueryRow> RowsOf(QueryTable table);

}  // namespace ncclwhy

// The limit of a query's steps, as SQLite counts them: just below it a query ends by itself, just above it is stopped.
#include <sqlite3.h>

#include <string>

#include "base/limits.h"
#include "catch.h"
#include "hostile/run_limited.h"
#include "store/database.h"
#include "store/query.h"
#include "store/store.h"

namespace ncclwhy::hostile {
namespace {

std::string Counting(int64_t n) {
  return "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < " + std::to_string(n) +
         ") SELECT max(x) AS rank FROM c";
}

// Steps of the virtual machine, without any limit.
int64_t Steps(Database& database, int64_t n) {
  sqlite3_stmt* statement = nullptr;
  REQUIRE(sqlite3_prepare_v2(database.handle(), Counting(n).c_str(), -1, &statement, nullptr) == SQLITE_OK);
  while (sqlite3_step(statement) == SQLITE_ROW) {
  }
  const int64_t steps = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
  sqlite3_finalize(statement);
  return steps;
}

TEST_CASE("steps of a query", "[hostile]") {
  if (!Full()) return;  // some seconds
  const auto database = Database::Open("", Database::Mode::kMemory).take();
  const int64_t each = (Steps(*database, 20'000) - Steps(*database, 10'000)) / 10'000;
  REQUIRE(each > 1);
  const int64_t border = limits::kQuerySteps / each;
  CHECK(RunQuery(*database, Counting(border - border / 100), {}).ok());
  const Result<QueryTable> beyond = RunQuery(*database, Counting(border + border / 100), {});
  REQUIRE_FALSE(beyond.ok());
  CHECK(beyond.status().message().find("took too long") != std::string::npos);
}

// What is sorted neither goes to the disk nor takes all memory.
TEST_CASE("memory of a query", "[hostile]") {
  const auto database = Database::Open("", Database::Mode::kMemory).take();
  REQUIRE(database->Execute("PRAGMA temp_store = MEMORY", "it was opened").ok());
  const auto sorting = [](int64_t rows) {
    return "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < " + std::to_string(rows) +
           ") SELECT length(v) FROM (SELECT printf('%9999s', x) AS v FROM c ORDER BY v DESC) LIMIT 1";
  };
  LimitQueryMemory();
  CHECK(RunQuery(*database, sorting(limits::kQueryMemory / 10000 / 4), {}).ok());
  const Result<QueryTable> beyond = RunQuery(*database, sorting(limits::kQueryMemory / 10000 * 2), {});
  sqlite3_hard_heap_limit64(0);
  REQUIRE_FALSE(beyond.ok());
  CHECK(beyond.status().message().find("too much memory") != std::string::npos);
}

}  // namespace
}  // namespace ncclwhy::hostile

#include "rules/engine/bare_columns.h"

#include <string>
#include <vector>

#include "catch.h"

namespace ncclwhy {
namespace {

using Found = std::vector<std::string>;

TEST_CASE("columns beside several aggregates are bare", "[rules]") {
  CHECK(BareColumns("SELECT MIN(n), MAX(n), who AS culprit_rank FROM t GROUP BY job") == Found{"who AS culprit_rank"});
  CHECK(BareColumns("SELECT count(*), t.who FROM t") == Found{"t.who"});
  CHECK(BareColumns("SELECT count(*) AS n, 'it has ' || t.who AS why FROM t") == Found{"'it has ' || t.who AS why"});
  CHECK(BareColumns("SELECT a FROM (SELECT avg(x) AS a, b FROM t)") == Found{"b"});
  CHECK(BareColumns("WITH w AS (SELECT sum(x), y FROM t GROUP BY z) SELECT 1 FROM w") == Found{"y"});
}

TEST_CASE("columns of one row or of the group are not bare", "[rules]") {
  // SQLite takes the row of the smallest line.
  CHECK(BareColumns("SELECT min(e.line) AS line, e.message AS text FROM event e GROUP BY e.process").empty());
  CHECK(BareColumns("SELECT job, count(*) FROM t GROUP BY job").empty());
  CHECK(BareColumns("SELECT coalesce(p.job, -1) AS job, count(*) AS n FROM process p GROUP BY 1").empty());
  CHECK(BareColumns("SELECT coalesce(p.job, -1) AS j, count(*) AS n FROM process p GROUP BY j").empty());
  CHECK(BareColumns("SELECT min(a, b) AS low, who FROM t").empty());  // of two values, no aggregate
  CHECK(BareColumns("SELECT job, row_number() OVER (PARTITION BY job ORDER BY count(*)) AS place FROM t GROUP BY job")
            .empty());
  CHECK(BareColumns("SELECT who, (SELECT count(*) FROM t) AS n FROM u").empty());
  CHECK(BareColumns("SELECT min(id) FILTER (WHERE kind = 'x') AS id, count(*) AS n FROM t").empty());
}

TEST_CASE("what is no SQL has no bare columns", "[rules]") {
  for (const char* sql : {"", "SELECT", "SELECT (", "select min( from", "'", "SELECT min(x), y", ")))"}) {
    CHECK(BareColumns(sql).empty());
  }
}

}  // namespace
}  // namespace ncclwhy

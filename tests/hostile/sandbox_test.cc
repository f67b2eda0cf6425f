// SQL of strangers, at the limits of base/limits.h, one beyond, and around the gate: only the public views can be read.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/limits.h"
#include "catch.h"
#include "hostile/run_limited.h"

namespace ncclwhy::hostile {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSample = NCCLWHY_SOURCE_DIR "/tests/golden/shm-full/job.log";

class Timeline {
 public:
  Timeline() {
    std::string name = (fs::temp_directory_path() / "ncclwhy-sandbox-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
    REQUIRE(RunLimited({"--db", root_ + "/job.db", kSample}).exit == 1);
  }
  ~Timeline() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  Outcome Ask(const std::string& sql) const { return RunLimited({"query", root_ + "/job.db", sql}); }
  // A directory of rules with one query rule, in line 3 of its file.
  std::string Rules(const std::string& id, const std::string& sql) const {
    const std::string directory = root_ + "/rules-" + id;
    fs::create_directories(directory + "/family/" + id);
    std::ofstream(directory + "/family/" + id + "/rule.json")
        << "{\"schema\": \"ncclwhy.rule/1\", \"id\": \"" << id
        << "\", \"role\": \"root\",\n\"title\": {\"en\": \"t\", \"zh\": \"t\"},\n\"query\": \"" << sql
        << "\",\n\"causes\": {\"shm.too-small\": 1.0}, \"note\": {\"en\": \"n\", \"zh\": \"n\"}}";
    return directory;
  }

 private:
  std::string root_;
};

void CheckRefused(const Outcome& o, const std::string& sentence) {
  CAPTURE(o.exit, o.signal, o.err.substr(0, 500));
  CHECK(o.signal == 0);
  CHECK(o.exit == 2);
  CHECK(o.err.rfind("ncclwhy: ", 0) == 0);
  CHECK(o.err.find(sentence) != std::string::npos);
}

std::string Rows(size_t n, const std::string& value) {
  return "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < " + std::to_string(n) + ") SELECT " +
         value + " AS v FROM c";
}

TEST_CASE("queries at the border of each limit are answered, and refused one beyond", "[hostile]") {
  const Timeline timeline;
  CHECK(timeline.Ask(Rows(limits::kQueryRows, "x")).exit == 0);
  CheckRefused(timeline.Ask(Rows(limits::kQueryRows + 1, "x")), "more than 65536 rows");

  const auto padded = [](size_t bytes) {
    std::string sql = "SELECT count(*) FROM event";
    return sql + std::string(bytes - sql.size(), ' ');
  };
  CHECK(timeline.Ask(padded(limits::kQueryText)).exit == 0);
  CheckRefused(timeline.Ask(padded(limits::kQueryText + 1)), "too long");

  // 1,024 blanks, each replaced by 1,024: one value at the limit.
  static_assert(limits::kQueryValueBytes == 1024 * 1024);
  const std::string value = "replace(printf('%1024s', ''), ' ', printf('%1024s', ''))";
  CHECK(timeline.Ask("SELECT length(" + value + ") AS v FROM coverage").exit == 0);
  CheckRefused(timeline.Ask("SELECT length(" + value + " || 'x') AS v FROM coverage"), "too large");

  const size_t rows = limits::kQueryBytes / limits::kQueryValueBytes;
  CHECK(timeline.Ask(Rows(rows, value)).exit == 0);
  CheckRefused(timeline.Ask(Rows(rows + 1, value)), "too large");
}

TEST_CASE("no spelling reaches a private table", "[hostile]") {
  const Timeline timeline;
  CHECK(timeline.Ask("SELECT count(*) FROM event").exit == 0);
  CHECK(timeline.Ask("SELECT '_event' AS v, \"rank\" FROM rank -- _event").exit == 0);
  CHECK(timeline.Ask("SELECT count(*) FROM event WHERE message LIKE '_event%' OR message LIKE '_'").exit == 0);
  CHECK(timeline.Ask("SELECT '=1+1', -5, ' @x', 1e3, '-cmd|x'").out.find("'=1+1\t-5\t' @x\t1000.0\t'-cmd|x") !=
        std::string::npos);  // a spreadsheet sees no formula
  CHECK(timeline.Ask("WITH RECURSIVE _x(a) AS (SELECT 1) SELECT a FROM _x").signal == 0);
  for (const char* sql : {
           "SELECT count(*) FROM _event",
           "SELECT count(*) FROM main._event",
           "SELECT count(*) FROM \"_event\"",
           "SELECT count(*) FROM [_event]",
           "SELECT count(*) FROM `_event`",
           "SELECT count(*) FROM '_event'",
           "SELECT count(*) FROM main.'_Event'",
           "WITH event AS (SELECT count(*) AS n FROM \"_rank\") SELECT * FROM event",
           "WITH event AS (SELECT * FROM _rank) SELECT * FROM event",
           "SELECT /*'*/ count(*) FROM _event --'",
           "SELECT 1 AS \"'\", count(*) FROM _event WHERE '' <> \"'\"",
           "SELECT 1 -- '\n, count(*) FROM _event -- '",
           "SELECT * FROM event UNION ALL SELECT * FROM _event",
           "SELECT (SELECT count(*) FROM _event) FROM source",
           "SELECT * FROM sqlite_schema",
           "SELECT * FROM sqlite_temp_master",
           "SELECT count(*) FROM sqlite_master",
           "SELECT * FROM pragma_database_list",
           "SELECT * FROM pragma_table_info('_event')",
           "SELECT * FROM dbstat",
           "SELECT * FROM temp.event",
       }) {
    CAPTURE(sql);
    CheckRefused(timeline.Ask(sql), "");
  }
}

TEST_CASE("only one SELECT, and only functions that compute", "[hostile]") {
  const Timeline timeline;
  for (const char* sql : {
           "INSERT INTO event DEFAULT VALUES",
           "UPDATE event SET line = 1",
           "CREATE TABLE x (a)",
           "CREATE TEMP VIEW x AS SELECT 1",
           "DROP VIEW event",
           "BEGIN",
           "SAVEPOINT x",
           "ATTACH ':memory:' AS x",
           "DETACH main",
           "REINDEX",
           "ANALYZE",
           "VACUUM",
           "EXPLAIN SELECT 1",
           "PRAGMA user_version",
           "SELECT 1; SELECT 2",
           "SELECT 1; ATTACH ':memory:' AS x",
           "SELECT random()",
           "SELECT randomblob(1000000000)",
           "SELECT zeroblob(1000000000)",
           "SELECT load_extension('x')",
           "SELECT readfile('/etc/passwd')",
           "SELECT writefile('/tmp/ncclwhy-sandbox', 'x')",
           "SELECT edit('x')",
           "SELECT sqlite_version()",
           "SELECT fts3_tokenizer('x')",
           "SELECT * FROM generate_series(1, 10)",
           "SELECT * FROM fsdir('/')",
           "VALUES (1) RETURNING 1",
           "",
           ";",
           "-- nothing",
       }) {
    CAPTURE(sql);
    CheckRefused(timeline.Ask(sql), "");
  }
  CHECK_FALSE(fs::exists("/tmp/ncclwhy-sandbox"));
}

TEST_CASE("a broken rule is refused with its place", "[hostile]") {
  const Timeline timeline;
  const auto run = [&](const std::string& id, const std::string& sql) {
    return RunLimited({"--rules", timeline.Rules(id, sql), kSample});
  };
  for (const char* sql : {"SELEC 1", "SELECT gone FROM nowhere", "SELECT 1 AS rank; SELECT 2", "DELETE FROM event"}) {
    const Outcome o = run("broken", sql);  // a report says so itself, others on standard error
    CAPTURE(sql, o.err.substr(0, 500));
    CHECK(o.signal == 0);
    CHECK(o.exit == 2);
    CHECK((o.out + o.err).find("broken") != std::string::npos);
  }
  const std::string directory = timeline.Rules("torn", "SELECT 1");
  std::ofstream(directory + "/family/torn/rule.json") << "{\n\"schema\": \"ncclwhy.rule/1\",\n\"id\": }";
  CheckRefused(RunLimited({"--rules", directory, kSample}), "rule.json:3");
}

TEST_CASE("a rule that never ends costs its own answer and nobody else's", "[hostile]") {
  const Timeline timeline;
  const std::string endless =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) AS rank FROM c";
  const Outcome o = RunLimited({"--rules", timeline.Rules("endless", endless), "--format", "json", kSample});
  CAPTURE(o.err);
  CHECK(o.exit == 2);
  CHECK(o.err.find("rule endless: the query took too long") != std::string::npos);
  CHECK(o.out.find("shm.too-small") != std::string::npos);
  if (!Sanitized()) CHECK(o.seconds < 25);
}

}  // namespace
}  // namespace ncclwhy::hostile

#include "store/store.h"

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "base/limits.h"
#include "catch.h"
#include "store/sample_queries.h"
#include "store/sample_timeline.h"
#include "store/schema_parts.h"

namespace ncclwhy {
namespace {

TEST_CASE("the views show the job, however the timeline is kept", "[store]") {
  const SampleJob job;
  const Scratch scratch;
  Write(scratch.File("t.db"), job);
  auto reader = OpenExisting(scratch.File("t.db"));
  INFO(reader.status().message());
  REQUIRE(reader.ok());
  for (const auto& query : kQueries) {
    INFO(query.sql);
    CHECK(Show(reader.value()->Select(query.sql)) == query.rows);
    std::string without_null = query.rows;  // Query leaves NULL out
    for (size_t at; (at = without_null.find("|-")) != std::string::npos;) without_null.erase(at, 2);
    for (const char* path : {"", ":memory:"}) {
      auto timeline = Open(path);
      REQUIRE(timeline->Load(job.model()).ok());
      CHECK(Show(timeline->Query(query.sql)) == without_null);
      CHECK(Show(timeline->Query(query.sql)) == without_null);  // tables are filled once
    }
  }
  CHECK(Show(reader.value()->Select("SELECT role, cause, log_odds, causes, source, line, rank, fields FROM finding")) ==
        "symptom|ib.retry-exceeded|2.5|{\"ib.retry-exceeded\":2.5,\"ib.link-down\":1}|1|9|1|{\"status\":12}");
  CHECK(Show(reader.value()->Select("SELECT position, id, confidence, culprits FROM cause")) ==
        "1|ib.retry-exceeded|0.5|[{\"host\":\"node-b\",\"rank\":1}]");
  CHECK(reader.value()->Select("SELECT id, name FROM source").value().columns ==
        std::vector<std::string>{"id", "name"});
}

TEST_CASE("the answer is in the file", "[store]") {
  const SampleJob job;
  const Scratch scratch;
  const std::string path = scratch.File("job.db");
  Write(path, job);
  auto reader = OpenExisting(path);
  REQUIRE(reader.ok());
  const auto rows = [&](const char* sql) { return Show(reader.value()->Select(sql)); };
  CHECK(rows("SELECT * FROM outcome") ==
        "failed|failure|12 iterations|rerun-without|0.75|its adapter is broken|--exclude=node-b");
  CHECK(rows("SELECT * FROM attempt ORDER BY 1") == "1|hung|-|1|2|9|-\n2|unknown|-|-|-|-|-");
  CHECK(rows("SELECT * FROM step") == "1|root|-|-|1|-|the adapter|1|9|-|1");
  CHECK(rows("SELECT id FROM cause") == "ib.retry-exceeded");
}

TEST_CASE("every call is there with the full timeline", "[store]") {
  SampleJob job;
  for (uint32_t i = 0; i < 5; ++i) {
    SampleJob::AddEvent(job.facts(0), 100 + i, EventKind::kCollective, LogLevel::kInfo, "",
                        {{FieldId::kOperation, i == 3 ? "Recv" : "AllReduce"},
                         {FieldId::kOpCount, "4"},
                         {FieldId::kCount, "65536"},
                         {FieldId::kDatatype, "7"},
                         {FieldId::kOp, "0"},
                         {FieldId::kRoot, "0"},
                         {FieldId::kComm, "0xaa"}});
  }
  auto timeline = Open("");
  REQUIRE(timeline->Load(job.model()).ok());
  CHECK(
      Show(timeline->Query("SELECT seq, operation, line, communicator FROM collective WHERE rank = 0 ORDER BY line")) ==
      "0|AllReduce|100|0\n1|AllReduce|101|0\n2|AllReduce|102|0\n0|Recv|103|0\n3|AllReduce|104|0");
  CHECK(Show(timeline->Query("SELECT count(*) FROM event WHERE kind = 'collective'")) == "0");
}

TEST_CASE("a pointer that recurs means the communicator of its time", "[store]") {
  SampleJob job;
  SampleJob::AddEvent(job.facts(0), 400, EventKind::kWarning, LogLevel::kWarn, "late", {{FieldId::kComm, "0xaa"}});
  JobModel model = job.model();
  Communicator second = model.communicators[0];
  second.id = CommId{1};
  second.ranks.resize(1);
  second.ranks[0].init_start.line = 300;
  model.communicators.push_back(second);
  auto timeline = Open("");
  REQUIRE(timeline->Load(model).ok());
  CHECK(Show(timeline->Query("SELECT line, communicator FROM event WHERE source = 0 ORDER BY line")) == "3|0\n400|1");
}

TEST_CASE("only one SELECT over the public views may be run", "[store]") {
  const SampleJob job;
  auto timeline = Open("");
  REQUIRE(timeline->Load(job.model()).ok());
  const char* kRefused[] = {
      "DELETE FROM event",
      "INSERT INTO _source VALUES (9, 'x', 1)",
      "UPDATE process SET pid = 1",
      "DROP VIEW event",
      "CREATE TABLE t (a)",
      "CREATE TEMP TABLE t AS SELECT 1",
      "ATTACH '/tmp/x.db' AS x",
      "DETACH main",
      "PRAGMA user_version",
      "PRAGMA user_version = 5",
      "PRAGMA table_info(_event)",
      "BEGIN",
      "COMMIT",
      "VACUUM INTO '/tmp/x.db'",
      "REINDEX",
      "ANALYZE",
      "EXPLAIN SELECT 1",
      "EXPLAIN QUERY PLAN SELECT 1",
      "SELECT 1; SELECT 2",
      "SELECT 1; DROP VIEW event",
      "SELECT * FROM _event",
      "SELECT count(*) FROM _event",
      "SELECT count(*) FROM \"_event\"",
      "SELECT count(*) FROM sqlite_master",
      "SELECT * FROM main._process",
      "SELECT * FROM sqlite_master",
      "SELECT * FROM sqlite_schema",
      "WITH event AS (SELECT * FROM sqlite_master) SELECT * FROM event",
      "SELECT load_extension('x')",
      "SELECT readfile('/etc/passwd')",
      "SELECT writefile('/tmp/x', 'y')",
      "SELECT randomblob(100)",
      "SELECT zeroblob(100)",
      "SELECT random()",
      "SELECT sqlite_version()",
      "SELECT * FROM pragma_table_info('_event')",
      "SELECT * FROM pragma_database_list",
      "SELECT * FROM dbstat",
      "VALUES (1); --",
      "",
      "  -- nothing",
      ";",
      "not SQL",
      "SELECT no_such FROM event",
      "SELECT * FROM no_such",
      "SELECT 'open",
  };
  for (const char* sql : kRefused) {
    INFO(sql);
    if (std::string(sql) == "VALUES (1); --") continue;  // VALUES is a SELECT by another name
    const auto rows = timeline->Query(sql);
    REQUIRE(!rows.ok());
    CHECK(rows.status().code() == ErrorCode::kInvalidArgument);
    CHECK(!rows.status().message().empty());
  }
  CHECK(!timeline->Query(std::string("SELECT 1\0; DROP", 15)).ok());
  CHECK(!timeline->Query("SELECT 1 -- " + std::string(limits::kQueryText, 'x')).ok());
  CHECK(Show(timeline->Query("SELECT count(*) FROM event")) == "4");  // nothing happened
  CHECK(timeline->Query("SELECT * FROM _event").status().message() ==
        "query refused: the table _event is not one of the public views");
  CHECK(timeline->Query("SELECT random()").status().message() == "query refused: the function random may not be used");
}

TEST_CASE("what rules need may be used", "[store]") {
  const SampleJob job;
  auto timeline = Open("");
  REQUIRE(timeline->Load(job.model()).ok());
  CHECK(Show(timeline->Query("WITH v AS (SELECT DISTINCT host FROM event) SELECT count(*) FROM v")) == "3");
  CHECK(Show(timeline->Query("SELECT count(*) FROM event WHERE message <> '_event'")) == "4");
  CHECK(Show(timeline->Query("SELECT 1;  -- done\n ; ")) == "1");
  CHECK(Show(timeline->Query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) "
                             "SELECT sum(i) FROM n")) == "15");
  CHECK(Show(timeline->Query("SELECT value FROM JSON_each('[1,2]')")) == "1\n2");
  CHECK(Show(timeline->Query("SELECT m.value FROM communicator c, json_each(c.minority) m")) == "1");
  CHECK(Show(timeline->Query("SELECT name FROM pragma_table_info('cause') LIMIT 2")) == "position\nid");
  CHECK(Show(timeline->Query("SELECT row_number() OVER (ORDER BY rank) FROM rank")) == "1\n2\n3");
  CHECK(Show(timeline->Query(
            "SELECT count(*) FROM rank r WHERE EXISTS (SELECT 1 FROM event e WHERE e.process = r.process "
            "AND e.level = 'WARN')")) == "1");
  CHECK(Show(timeline->Query("SELECT x'00ff', 1.5, NULL, 'a'")) == "00ff|1.5|a");
  CHECK(timeline->Query("SELECT NULL AS a, 2 AS b").value()[0].columns ==
        std::vector<std::pair<std::string, std::string>>{{"b", "2"}});
}

TEST_CASE("a query ends", "[store]") {
  const SampleJob job;
  auto timeline = Open("");
  REQUIRE(timeline->Load(job.model()).ok());
  const char* kEndless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) ";
  const auto endless = timeline->Query(std::string(kEndless) + "SELECT max(i) FROM n");
  REQUIRE(!endless.ok());
  CHECK(endless.status().code() == ErrorCode::kLimit);
  const auto rows = timeline->Query(std::string(kEndless) + "SELECT i FROM n");
  REQUIRE(!rows.ok());
  CHECK(rows.status().message().find("add a LIMIT") != std::string::npos);
  CHECK(timeline->Query("SELECT replace(printf('%1000000d', 1), ' ', 'xx')").status().code() == ErrorCode::kLimit);
  CHECK(timeline->Query(std::string(kEndless) + "SELECT printf('%1000000d', i) FROM n").status().code() ==
        ErrorCode::kLimit);
  CHECK(Show(timeline->Query("SELECT 1")) == "1");
}

TEST_CASE("the lazy timeline ends with the report", "[store]") {
  auto timeline = Open("");
  CHECK(!timeline->Query("SELECT 1").ok());  // nothing loaded
  CHECK(!timeline->AddReport(SampleReport()).ok());
  {
    const SampleJob job;
    REQUIRE(timeline->Load(job.model()).ok());
    CHECK(Show(timeline->Query("SELECT count(*) FROM source")) == "2");
    REQUIRE(timeline->AddReport(SampleReport()).ok());
  }
  CHECK(Show(timeline->Query("SELECT count(*) FROM source")) == "2");
  CHECK(Show(timeline->Query("SELECT id FROM cause")) == "ib.retry-exceeded");
  CHECK(!timeline->Query("SELECT count(*) FROM event").ok());
}

TEST_CASE("a timeline can be loaded again", "[store]") {
  const SampleJob job;
  const Scratch scratch;
  for (const std::string& path : {std::string(), std::string(":memory:"), scratch.File("t.db")}) {
    auto timeline = Open(path);
    for (int i = 0; i < 2; ++i) {
      REQUIRE(timeline->Load(job.model()).ok());
      CHECK(Show(timeline->Query("SELECT count(*) FROM event")) == "4");
    }
  }
  Write(scratch.File("t.db"), job);  // over the old file
  CHECK(Show(OpenExisting(scratch.File("t.db")).value()->Query("SELECT count(*) FROM source")) == "2");
}

// README.md lists every column as "| `name` | meaning |" under a heading "## view".
TEST_CASE("the README documents every column", "[store]") {
  const SampleJob job;
  auto timeline = Open("");
  REQUIRE(timeline->Load(job.model()).ok());
  std::ifstream in(NCCLWHY_SOURCE_DIR "/src/store/README.md");
  std::string line, view;
  std::map<std::string, std::set<std::string>> documented;
  while (std::getline(in, line)) {
    if (line.rfind("### ", 0) == 0) view = line.substr(4);
    if (line.rfind("| `", 0) != 0) continue;
    std::istringstream names(line.substr(2, line.find('|', 2) - 2));
    std::string name;
    while (names >> name) documented[view].insert(name.substr(1, name.rfind('`') - 1));
  }
  for (const SchemaPart& part : SchemaParts()) {
    const std::string& name = part.name;
    if (!IsPublicView(name)) continue;
    INFO(name);
    const auto rows = timeline->Query("SELECT name FROM pragma_table_info('" + name + "')");
    INFO(rows.status().message());
    REQUIRE(rows.ok());
    std::set<std::string> columns;
    for (const QueryRow& row : rows.value()) columns.insert(row.columns[0].second);
    CHECK(!columns.empty());
    CHECK(documented[name] == columns);
  }
}

}  // namespace
}  // namespace ncclwhy

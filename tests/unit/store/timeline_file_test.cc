#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "store/sample_queries.h"
#include "store/sample_timeline.h"

namespace ncclwhy {
namespace {

void Sql(const std::string& path, const char* sql) {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  REQUIRE(sqlite3_exec(db, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(db);
}

TEST_CASE("files that are no timeline are refused with a sentence", "[store]") {
  const SampleJob job;
  const Scratch scratch;
  const std::string path = scratch.File("t.db");
  const auto both = [&](const char* why) {
    INFO(why);
    const auto existing = OpenExisting(path);
    REQUIRE(!existing.ok());
    CHECK(existing.status().message().find(why) != std::string::npos);
    CHECK(existing.status().message().find(path) == 0);
    const auto timeline = OpenTimeline(path);
    REQUIRE(!timeline.ok());
    CHECK(timeline.status().message() == existing.status().message());
  };
  SECTION("text") {
    std::ofstream(path) << "NCCL INFO this is a log, not a database; it must not be overwritten, whatever its name is";
    both("is not a timeline");
    CHECK(fs::file_size(path) > 50);
  }
  SECTION("a database of somebody else") {
    Sql(path, "CREATE TABLE accounts (id)");
    both("but not a timeline");
  }
  SECTION("a newer version") {
    Write(path, job);
    Sql(path, "PRAGMA user_version = 99");
    both("newer ncclwhy");
  }
  SECTION("half a timeline") {
    Write(path, job);
    Sql(path, "DROP VIEW event");
    const auto existing = OpenExisting(path);
    REQUIRE(!existing.ok());
    CHECK(existing.status().message().find("not a whole timeline") != std::string::npos);
    CHECK(OpenTimeline(path).ok());  // ours: may be replaced
  }
  SECTION("nothing there") {
    CHECK(OpenExisting(path).status().code() == ErrorCode::kNotFound);
    CHECK(OpenExisting("").status().code() == ErrorCode::kNotFound);
    CHECK(!fs::exists(path));
  }
  SECTION("a directory") {
    fs::create_directory(path);
    CHECK(!OpenExisting(path).ok());
    CHECK(!OpenTimeline(path).ok());
  }
  SECTION("a directory that does not exist") {
    const auto timeline = OpenTimeline(scratch.File("no/such/t.db"));
    REQUIRE(!timeline.ok());
    CHECK(timeline.status().code() == ErrorCode::kIo);
  }
}

TEST_CASE("a file is written once for each job, with what belongs to that job alone", "[store]") {
  const Scratch scratch;
  const SampleJob job;
  const std::string path = scratch.File("jobs.db");
  const auto timeline = Open(path);
  REQUIRE(timeline->Load(job.model()).ok());
  REQUIRE(timeline->AddFindings(job.model(), RuleSet::Embedded(), SampleFindings()).ok());
  REQUIRE(timeline->AddReport(SampleReport()).ok());
  CHECK_FALSE(timeline->AddReport(SampleReport()).ok());
  REQUIRE(timeline->Load(job.model()).ok());
  REQUIRE(timeline->AddReport(SampleReport()).ok());
  const auto written = OpenExisting(path);
  REQUIRE(written.ok());
  CHECK(Show(written.value()->Select("SELECT count(*) FROM finding")) == "0");
}

TEST_CASE("damaged pages are reported, not believed", "[store]") {
  const SampleJob job;
  const Scratch scratch;
  const std::string path = scratch.File("t.db");
  Write(path, job);
  const auto size = fs::file_size(path);
  int refused = 0;
  for (uint64_t offset = 100; offset < size; offset += 997) {
    const std::string copy = scratch.File("copy.db");
    fs::copy_file(path, copy, fs::copy_options::overwrite_existing);
    {
      std::fstream file(copy, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(offset));
      file.write("\xff\xff\xff\xff\xff\xff\xff\xff", 8);
    }
    auto reader = OpenExisting(copy);
    if (!reader.ok()) {
      ++refused;
      continue;
    }
    for (const auto& query : kQueries) {
      if (!reader.value()->Select(query.sql).ok()) ++refused;
    }
  }
  CHECK(refused > 0);
}

TEST_CASE("a timeline that somebody writes is waited for, then given up", "[store]") {
  const SampleJob job;
  const Scratch scratch;
  const std::string path = scratch.File("t.db");
  Write(path, job);
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &db) == SQLITE_OK);
  REQUIRE(sqlite3_exec(db, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr) == SQLITE_OK);
  const auto timeline = OpenTimeline(path);
  REQUIRE(!timeline.ok());
  CHECK(timeline.status().message() == path + ": is in use by another process");
  sqlite3_close(db);
}

TEST_CASE("a file that may not be written is known at once", "[store]") {
  if (geteuid() == 0) return;  // root may write everything
  const SampleJob job;
  const Scratch scratch;
  const std::string path = scratch.File("t.db");
  Write(path, job);
  REQUIRE(chmod(path.c_str(), 0400) == 0);
  CHECK(OpenExisting(path).ok());
  CHECK(!OpenTimeline(path).ok());
}

// Files of this process cannot grow beyond some bytes while it lives.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit small{bytes, old_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  rlimit old_{};
  void (*handler_)(int);
};

TEST_CASE("when the disk is full there is a sentence, and the old timeline", "[store]") {
  SampleJob job;
  const Scratch scratch;
  const std::string path = scratch.File("t.db");
  Write(path, job);
  const auto size = fs::file_size(path);
  for (uint32_t i = 0; i < 5000; ++i) {
    SampleJob::AddEvent(job.facts(1), 1000 + i, EventKind::kWarning, LogLevel::kWarn, "a warning", {});
  }
  {
    auto timeline = Open(path);
    const SmallDisk disk(size + 64 * 1024);
    REQUIRE(timeline->Load(job.model()).ok());
    CHECK(Show(timeline->Query("SELECT count(*) FROM event")) == "5004");
    const Status status = timeline->AddReport(SampleReport());
    REQUIRE(!status.ok());
    CHECK(status.code() == ErrorCode::kIo);
    CHECK(status.message().find(path + ": ") == 0);
  }
  auto reader = OpenExisting(path);
  REQUIRE(reader.ok());
  CHECK(Show(reader.value()->Select("SELECT count(*) FROM event")) == "4");
  CHECK(Show(reader.value()->Select("SELECT id FROM cause")) == "ib.retry-exceeded");
}

TEST_CASE("names that SQLite would take for something else are files", "[store]") {
  const SampleJob job;
  const Scratch scratch;
  const fs::path old = fs::current_path();
  fs::current_path(scratch.File(""));
  Write("file:x.db?mode=memory", job);
  CHECK(fs::exists("./file:x.db?mode=memory"));
  CHECK(OpenExisting("file:x.db?mode=memory").ok());
  fs::current_path(old);
}

}  // namespace
}  // namespace ncclwhy

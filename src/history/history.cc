#include "history/history.h"

#include <unistd.h>

#include <filesystem>

#include "store/select.h"

namespace ncclwhy {
namespace {

// A row of `job` for each run; `part` is what took part in it, `blame` what its first cause names.
constexpr char kTables[] = R"(
CREATE TABLE job(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, ended INTEGER NOT NULL, verdict TEXT NOT NULL,
  outcome TEXT NOT NULL, cause TEXT NOT NULL, confidence REAL NOT NULL, decision TEXT NOT NULL);
CREATE TABLE part(job INTEGER NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY(job, kind, value)) WITHOUT ROWID;
CREATE INDEX part_value ON part(kind, value, job);
CREATE TABLE blame(job INTEGER NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY(job, kind, value)) WITHOUT ROWID;
CREATE INDEX blame_value ON blame(kind, value, job);
)";

Status Check(const std::string& path, bool may_create) {
  std::error_code error;
  const auto file = std::filesystem::status(path, error);
  if (std::filesystem::is_regular_file(file)) return {};
  // What is done beside a device, a journal, is left there.
  // A journal beside /dev/stdin or a pipe would be a file that nobody removes.
  if (std::filesystem::exists(file)) return Status::InvalidArgument(path + ": is not a file");
  return may_create ? Status() : Status::NotFound(path + ": there is no history; `ncclwhy history add` makes one");
}

Status Prepare(Database& database, bool may_create, std::chrono::milliseconds patience) {
  const std::string wait = "PRAGMA busy_timeout=" + std::to_string(patience.count());
  if (Status status = database.Execute(wait.c_str(), "it was opened"); !status.ok()) return status;
  if (may_create) {
    // Two epilogs may find the file empty at the same time: whoever has the lock makes the tables, the other one finds
    // them.
    if (Status status = database.Execute("BEGIN IMMEDIATE", "it was opened"); !status.ok()) return status;
  }
  const Result<int64_t> id = database.Integer("PRAGMA application_id");
  const Result<int64_t> version = database.Integer("PRAGMA user_version");
  const Result<int64_t> tables = database.Integer("SELECT count(*) FROM sqlite_schema");
  for (const Result<int64_t>* read : {&id, &version, &tables}) {
    if (!read->ok()) return read->status();
  }
  // A file of another program with a table or an id of its own is left alone, even where it has neither version nor
  // job.
  if (may_create && tables.value() == 0 && id.value() == 0) {
    const std::string head = "PRAGMA application_id=" + std::to_string(kHistoryApplicationId) +
                             ";PRAGMA user_version=" + std::to_string(kHistoryVersion) + ";";
    if (Status status = database.Execute((head + kTables).c_str(), "it was made"); !status.ok()) return status;
  } else if (id.value() != kHistoryApplicationId) {
    return Status::Corrupt(database.name() + ": is no history of ncclwhy");
  } else if (version.value() > kHistoryVersion) {
    return Status::Corrupt(database.name() + ": was made by a newer version of ncclwhy");
  }
  return may_create ? database.Execute("COMMIT", "it was made") : Status();
}

// Not in histories of before: made by the first who has something to put in.
constexpr char kPlaceTable[] =
    "CREATE TABLE IF NOT EXISTS place(host TEXT NOT NULL, place TEXT NOT NULL, PRIMARY KEY(host, place)) WITHOUT ROWID;"
    "DELETE FROM place";

}  // namespace

Result<std::unique_ptr<History>> History::Open(const std::string& path, Mode mode, std::chrono::milliseconds patience) {
  const bool add = mode == Mode::kAdd;
  if (Status status = Check(path, add); !status.ok()) return status;
  // A file whose writer was killed is put in order by the next who may write it, readers too.
  const bool writable = add || ::access(path.c_str(), W_OK) == 0;
  Result<std::unique_ptr<Database>> database =
      Database::Open(path, writable ? Database::Mode::kReadWrite : Database::Mode::kReadOnly);
  if (!database.ok()) return database.status();
  if (Status status = Prepare(*database.value(), add, patience); !status.ok()) return status;
  return std::unique_ptr<History>(new History(database.take()));
}

Result<History::Added> History::Add(const std::vector<PastJob>& jobs) {
  Added added;
  if (Status status = database_->Execute("BEGIN IMMEDIATE", "jobs were added"); !status.ok()) return status;
  Status status = Write(jobs, &added);
  if (status.ok()) status = database_->Execute("COMMIT", "jobs were added");
  if (status.ok()) return added;
  (void)database_->Execute("ROLLBACK", "jobs were added");
  return status;
}

Status History::SetPlaces(const std::vector<HostPlace>& places) {
  if (Status status = database_->Execute("BEGIN IMMEDIATE", "places were set"); !status.ok()) return status;
  // The old list goes within the transaction: a reader sees the one or the other, never none.
  Status status = WritePlaces(places);
  if (status.ok()) status = database_->Execute("COMMIT", "places were set");
  if (!status.ok()) (void)database_->Execute("ROLLBACK", "places were set");
  return status;
}

Status History::WritePlaces(const std::vector<HostPlace>& places) {
  if (Status status = database_->Execute(kPlaceTable, "places were set"); !status.ok()) return status;
  Result<Insert> row = Insert::Prepare(*database_, "INSERT OR IGNORE INTO place VALUES(?,?)");
  if (!row.ok()) return row.status();
  for (const HostPlace& p : places) {
    if (Status status = row.value().Text(p.host).Text(p.place).Run(); !status.ok()) return status;
  }
  return {};
}

Status History::Write(const std::vector<PastJob>& jobs, Added* added) {
  Result<Insert> job_row = Insert::Prepare(
      *database_, "INSERT INTO job(key, ended, verdict, outcome, cause, confidence, decision) VALUES(?,?,?,?,?,?,?)");
  Result<Insert> part_row = Insert::Prepare(*database_, "INSERT OR IGNORE INTO part VALUES(?,?,?)");
  Result<Insert> blame_row = Insert::Prepare(*database_, "INSERT OR IGNORE INTO blame VALUES(?,?,?)");
  for (const Result<Insert>* row : {&job_row, &part_row, &blame_row}) {
    if (!row->ok()) return row->status();
  }
  for (const PastJob& job : jobs) {
    Result<Select> old = Select::Prepare(*database_, "SELECT id FROM job WHERE key = ?");
    if (!old.ok()) return old.status();
    const Result<bool> there = old.value().Bind(job.key).Next();
    if (!there.ok()) return there.status();
    // Replaced and not updated: what a second report says of a job is all that is known of it then.
    if (there.value()) {
      const std::string id = std::to_string(old.value().Integer(0));
      const std::string remove =
          "DELETE FROM part WHERE job=" + id + ";DELETE FROM blame WHERE job=" + id + ";DELETE FROM job WHERE id=" + id;
      if (Status status = database_->Execute(remove.c_str(), "a job was replaced"); !status.ok()) return status;
    }
    ++(there.value() ? added->again : added->jobs);
    Insert& row = job_row.value();
    row.Text(job.key).Integer(job.ended).Text(job.verdict).Text(job.outcome).Text(job.cause);
    if (Status status = row.Real(job.confidence).Text(job.decision).Run(); !status.ok()) return status;
    // Of the row just inserted; nobody else writes within the transaction.
    const Result<int64_t> id = database_->Integer("SELECT last_insert_rowid()");
    if (!id.ok()) return id.status();
    for (const auto& [kind, value] : job.parts) {
      if (Status status = part_row.value().Integer(id.value()).Text(kind).Text(value).Run(); !status.ok())
        return status;
    }
    for (const auto& [kind, value] : job.blamed) {
      if (Status status = blame_row.value().Integer(id.value()).Text(kind).Text(value).Run(); !status.ok())
        return status;
    }
  }
  return {};
}

}  // namespace ncclwhy

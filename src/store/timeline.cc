#include <algorithm>
#include <exception>
#include <filesystem>
#include <set>

#include "store/add_results.h"
#include "store/database.h"
#include "store/fill.h"
#include "store/query.h"
#include "store/sql_text.h"
#include "store/store.h"

namespace ncclwhy {
namespace {

// Runs `work` in one transaction.
template <typename Work>
Status InTransaction(Database& database, Work work) {
  if (Status status = database.Execute("BEGIN IMMEDIATE", "it was locked"); !status.ok()) return status;
  Status status = work();
  if (status.ok()) status = database.Execute("COMMIT", "it was written");
  if (!status.ok()) (void)database.Execute("ROLLBACK", "it was rolled back");
  return status;
}

// A room's border: json, fmt and the standard library may throw.
template <typename Work>
auto Guarded(Work work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& error) {
    return Status::Internal(std::string("the timeline failed: ") + error.what());
  }
}

Status CheckIdentity(Database& database) {
  const auto application = database.Integer("PRAGMA application_id");
  if (!application.ok()) return application.status();
  if (application.value() != kApplicationId) {
    return Status::Corrupt(database.name() + ": is a SQLite database, but not a timeline of ncclwhy");
  }
  const auto version = database.Integer("PRAGMA user_version");
  if (!version.ok()) return version.status();
  if (version.value() > kFormatVersion) {
    return Status::Corrupt(database.name() + ": was written by a newer ncclwhy (timeline format " +
                           std::to_string(version.value()) + ", this one knows " + std::to_string(kFormatVersion) +
                           "); update ncclwhy");
  }
  return Status::Ok();
}

// A timeline that stands there is emptied by its schema: whatever tables and views it has.
Status DropAll(Database& database) {
  std::vector<std::string> drops;
  const auto list = [](void* out, int, char** values, char**) {
    std::string name;
    for (const char* p = values[1]; *p != '\0'; ++p) name += *p == '"' ? "\"\"" : std::string(1, *p);
    static_cast<std::vector<std::string>*>(out)->push_back("DROP " + std::string(values[0]) + " IF EXISTS \"" + name +
                                                           "\"");
    return 0;
  };
  const int code =
      sqlite3_exec(database.handle(),
                   "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE "
                   "'sqlite\\_%' ESCAPE '\\'",
                   list, &drops, nullptr);
  if (code != SQLITE_OK) return database.Error(code, "it was emptied");
  for (const std::string& drop : drops) {
    if (Status status = database.Execute(drop.c_str(), "it was emptied"); !status.ok()) return status;
  }
  return Status::Ok();
}

Status CreateSchema(Database& database) {
  const std::string identity = "PRAGMA application_id = " + std::to_string(kApplicationId) +
                               "; PRAGMA user_version = " + std::to_string(kFormatVersion);
  for (const char* sql : {identity.c_str(), kSchemaSql, kViewsSql}) {
    if (Status status = database.Execute(sql, "it was created"); !status.ok()) return status;
  }
  return Status::Ok();
}

class SqliteTimeline : public Timeline {
 public:
  SqliteTimeline(std::unique_ptr<Database> database, bool lazy) : database_(std::move(database)), lazy_(lazy) {}

  Status Load(const JobModel& model) override {
    return Guarded([&] {
      filled_.clear();
      model_ = &model;
      loaded_ = lazy_;
      created_ = false;
      pending_.clear();
      if (lazy_) return Status::Ok();
      Status status = InTransaction(*database_, [&]() -> Status {
        if (Status dropped = DropAll(*database_); !dropped.ok()) return dropped;
        if (Status created = CreateSchema(*database_); !created.ok()) return created;
        return FillTables([](std::string_view) { return true; });
      });
      model_ = nullptr;
      loaded_ = status.ok();
      return status;
    });
  }

  Status AddFindings(const JobModel&, const RuleSet& rules, const std::vector<Finding>& findings) override {
    if (!loaded_) return NotLoaded();
    return Guarded([&]() -> Status {
      if (lazy_ && !created_) {
        rules_ = &rules;
        pending_.insert(pending_.end(), findings.begin(), findings.end());
        return Status::Ok();
      }
      return InTransaction(*database_, [&] { return AddFindingRows(*database_, rules, findings); });
    });
  }

  Status AddReport(const Report& report) override {
    model_ = nullptr;  // the analysis ends here; the model may go away
    if (!loaded_) return NotLoaded();
    if (lazy_ && !created_) return Status::Ok();  // nobody asked, and nobody can from now on
    return Guarded([&] { return InTransaction(*database_, [&] { return AddCauseRows(*database_, report); }); });
  }

  Result<std::vector<QueryRow>> Query(std::string_view sql) override {
    if (!loaded_) return NotLoaded();
    return Guarded([&]() -> Result<std::vector<QueryRow>> {
      if (Status status = CreateWhenAsked(); !status.ok()) return status;
      auto table = RunQuery(*database_, sql, [this](const std::set<std::string>& tables) { return FillFor(tables); });
      if (!table.ok()) return table.status();
      return RowsOf(table.take());
    });
  }

 private:
  Status NotLoaded() const { return Status::InvalidArgument(database_->name() + ": no job was loaded"); }

  // Tables cost more than the whole analysis of a pasted failure, and most of those need no query.
  Status CreateWhenAsked() {
    if (!lazy_ || created_) return Status::Ok();
    created_ = true;
    return InTransaction(*database_, [&]() -> Status {
      if (Status dropped = DropAll(*database_); !dropped.ok()) return dropped;
      if (Status made = CreateSchema(*database_); !made.ok()) return made;
      if (pending_.empty()) return Status::Ok();
      const std::vector<Finding> findings = std::move(pending_);
      return AddFindingRows(*database_, *rules_, findings);
    });
  }

  template <typename Wanted>
  Status FillTables(Wanted wanted) {
    for (const TableFiller& filler : TableFillers()) {
      if (!wanted(filler.table) || !filled_.insert(filler.table).second) continue;
      Status status = filler.fill(*database_, *model_);
      if (status.ok() && filler.indexes != nullptr) status = database_->Execute(filler.indexes, "it was indexed");
      if (!status.ok()) return status;
    }
    return Status::Ok();
  }

  Status FillFor(const std::set<std::string>& tables) {
    if (!lazy_) return Status::Ok();
    const auto missing = [&](std::string_view table) {
      return tables.count(std::string(table)) != 0 && filled_.count(table) == 0;
    };
    const auto fillers = TableFillers();
    if (std::none_of(fillers.begin(), fillers.end(), [&](const TableFiller& f) { return missing(f.table); })) {
      return Status::Ok();
    }
    if (model_ == nullptr) {
      return Status::InvalidArgument("the timeline in memory ended with the report; write it to a file to query it");
    }
    return InTransaction(*database_, [&] { return FillTables(missing); });
  }

  std::unique_ptr<Database> database_;
  const bool lazy_;
  bool loaded_ = false;
  bool created_ = false;  // lazy only
  const RuleSet* rules_ = nullptr;
  std::vector<Finding> pending_;
  const JobModel* model_ = nullptr;
  std::set<std::string_view> filled_;
};

class SqliteReader : public ReadOnlyTimeline {
 public:
  explicit SqliteReader(std::unique_ptr<Database> database) : database_(std::move(database)) {}

  Result<QueryTable> Select(std::string_view sql) override {
    return Guarded([&] { return RunQuery(*database_, sql, nullptr); });
  }

  Result<std::vector<QueryRow>> Query(std::string_view sql) override {
    return Guarded([&]() -> Result<std::vector<QueryRow>> {
      auto table = RunQuery(*database_, sql, nullptr);
      if (!table.ok()) return table.status();
      return RowsOf(table.take());
    });
  }

 private:
  std::unique_ptr<Database> database_;
};

Result<std::unique_ptr<Timeline>> OpenFile(const std::string& path) {
  std::error_code error;
  const bool exists = std::filesystem::exists(path, error) && std::filesystem::file_size(path, error) > 0 && !error;
  auto database = Database::Open(path, Database::Mode::kReadWrite);
  if (!database.ok()) return database.status();
  if (exists) {
    if (Status status = CheckIdentity(*database.value()); !status.ok()) return status;
  }
  // A file that cannot be written is better known now than after the logs were read.
  Status status = database.value()->Execute("PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE; ROLLBACK", "it was opened");
  if (!status.ok()) return status;
  return std::unique_ptr<Timeline>(std::make_unique<SqliteTimeline>(database.take(), /*lazy=*/false));
}

}  // namespace

Result<std::unique_ptr<Timeline>> OpenTimeline(const std::string& path) {
  return Guarded([&]() -> Result<std::unique_ptr<Timeline>> {
    if (!path.empty() && path != ":memory:") return OpenFile(path);
    auto database = Database::Open(path, Database::Mode::kMemory);
    if (!database.ok()) return database.status();
    Status status =
        database.value()->Execute("PRAGMA journal_mode = MEMORY; PRAGMA temp_store = MEMORY", "it was opened");
    if (!status.ok()) return status;
    return std::unique_ptr<Timeline>(std::make_unique<SqliteTimeline>(database.take(), path.empty()));
  });
}

Result<std::unique_ptr<ReadOnlyTimeline>> OpenExisting(const std::string& path) {
  return Guarded([&]() -> Result<std::unique_ptr<ReadOnlyTimeline>> {
    std::error_code error;
    if (path.empty() || !std::filesystem::exists(path, error)) return Status::NotFound(path + ": does not exist");
    if (std::filesystem::is_directory(path, error)) return Status::InvalidArgument(path + ": is a directory");
    auto database = Database::Open(path, Database::Mode::kReadOnly);
    if (!database.ok()) return database.status();
    if (Status status = CheckIdentity(*database.value()); !status.ok()) return status;
    const auto views = database.value()->Integer(
        "SELECT count(*) FROM sqlite_master WHERE type = 'view' AND name IN ('source', 'process', 'rank', "
        "'communicator', 'event', 'connection', 'environment', 'collective', 'finding', 'cause', 'coverage')");
    if (!views.ok()) return views.status();
    if (views.value() != 11) return Status::Corrupt(path + ": is not a whole timeline; write it again");
    return std::unique_ptr<ReadOnlyTimeline>(std::make_unique<SqliteReader>(database.take()));
  });
}

}  // namespace ncclwhy

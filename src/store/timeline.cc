#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "store/add_results.h"
#include "store/database.h"
#include "store/event_table.h"
#include "store/file_timeline.h"
#include "store/fill.h"
#include "store/guarded.h"
#include "store/like.h"
#include "store/query.h"
#include "store/report_tables.h"
#include "store/schema_parts.h"
#include "store/sql_text.h"
#include "store/store.h"
#include "store/timeline_file.h"

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

// Loaded again: whatever tables and views there are go.
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

class SqliteTimeline : public Timeline {
 public:
  SqliteTimeline(std::unique_ptr<Database> database, bool lazy) : database_(std::move(database)), lazy_(lazy) {}

  Status Load(const JobModel& model) override {
    return Guarded([&] {
      filled_.clear();
      model_ = &model;
      loaded_ = lazy_;
      if (broken_) {
        made_.clear();
        known_ = {};
      }
      begun_ = broken_ = false;
      pending_.clear();
      comparison_ = {};
      report_.reset();
      if (lazy_) {
        if (registered_) return Status::Ok();
        registered_ = true;
        Status status = UseLike(*database_);
        return status.ok() ? events_.Register(*database_) : status;
      }
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

  Status AddComparison(const JobModel& model, const JobComparison& comparison) override {
    if (!loaded_) return NotLoaded();
    if (lazy_) {
      comparison_ = comparison;
      return Status::Ok();
    }
    return Guarded(
        [&] { return InTransaction(*database_, [&] { return AddComparisonRows(*database_, model, comparison); }); });
  }

  Status AddFindings(const JobModel&, const RuleSet& rules, const std::vector<Finding>& findings) override {
    if (!loaded_) return NotLoaded();
    return Guarded([&]() -> Status {
      if (lazy_ && !(begun_ && Made("_finding"))) {
        rules_ = &rules;
        pending_.insert(pending_.end(), findings.begin(), findings.end());
        return Status::Ok();
      }
      return InTransaction(*database_, [&] { return AddFindingRows(*database_, rules, findings); });
    });
  }

  Status AddReport(const Report& report) override {
    model_ = nullptr;  // the analysis ends here; the model may go away
    if (lazy_) filled_.erase(EventTable::kName);
    if (!loaded_) return NotLoaded();
    if (lazy_ && !begun_) return Status::Ok();  // nobody asked, and nobody can from now on
    report_ = report;
    return Guarded([&] { return InTransaction(*database_, [&] { return AddAnswer(); }); });
  }

  Result<std::vector<QueryRow>> Query(std::string_view sql) override {
    if (!loaded_) return NotLoaded();
    return Guarded([&]() -> Result<std::vector<QueryRow>> {
      if (Status status = CreateFor(sql); !status.ok()) return status;
      auto table = RunQuery(
          *database_, sql, [this](const std::set<std::string>& tables) { return FillFor(tables); },
          lazy_ ? &known_ : nullptr);
      if (!table.ok()) return table.status();
      return RowsOf(table.take());
    });
  }

 private:
  Status NotLoaded() const { return Status::InvalidArgument(database_->name() + ": no job was loaded"); }

  bool Made(std::string_view table) const { return made_.count(table) != 0; }

  static Status Ended() {
    return Status::InvalidArgument("the timeline in memory ended with the report; write it to a file to query it");
  }

  // Tables cost more than the whole analysis of a pasted failure, and most of those need no query, or one of few
  // tables.
  Status CreateFor(std::string_view sql) {
    if (!lazy_) return Status::Ok();
    const std::vector<SchemaPart>& parts = SchemaParts();
    std::vector<bool> wanted = PartsFor(sql);
    bool any = false;
    for (size_t i = 0; i < parts.size(); ++i) {
      wanted[i] = wanted[i] && !Made(parts[i].name);
      any = any || wanted[i];
    }
    if (!any && begun_) return Status::Ok();
    Status status = InTransaction(*database_, [&]() -> Status {
      if (!begun_) {
        if (Status emptied = made_.empty() ? DropAll(*database_) : EmptyMade(); !emptied.ok()) return emptied;
        begun_ = true;
        if (Made(EventTable::kName)) ShowEvents();
      }
      for (size_t i = 0; i < parts.size(); ++i) {
        if (!wanted[i]) continue;
        if (parts[i].name == EventTable::kName) ShowEvents();
        const char* const create = parts[i].name == EventTable::kName ? EventTable::kCreate : parts[i].sql.c_str();
        if (Status made = database_->Execute(create, "it was created"); !made.ok()) return made;
        made_.insert(parts[i].name);
      }
      return AddPending();
    });
    broken_ = broken_ || !status.ok();
    return status;
  }

  void ShowEvents() {
    if (model_ == nullptr) return;
    events_.Show(*model_);
    filled_.insert(EventTable::kName);
  }

  // The next job's tables are those that the one before needed.
  Status EmptyMade() {
    for (const std::string_view table : made_) {
      if (!table.starts_with('_') || table == EventTable::kName) continue;
      const std::string sql = "DELETE FROM " + std::string(table);
      if (Status status = database_->Execute(sql.c_str(), "it was emptied"); !status.ok()) return status;
    }
    return Status::Ok();
  }

  // What was told before somebody asked for it.
  Status AddPending() {
    if (Made("_finding") && !pending_.empty()) {
      const std::vector<Finding> findings = std::move(pending_);
      pending_.clear();
      if (Status added = AddFindingRows(*database_, *rules_, findings); !added.ok()) return added;
    }
    if (Made("_difference") && !comparison_.differences.empty()) {
      const std::vector<RankDifference> differences = std::move(comparison_.differences);
      comparison_.differences.clear();
      if (Status added = AddDifferenceRows(*database_, differences); !added.ok()) return added;
    }
    if (Made("_doubtful_setting") && !comparison_.settings.empty() && model_ != nullptr) {
      const std::vector<DoubtfulSetting> settings = std::move(comparison_.settings);
      comparison_.settings.clear();
      if (Status added = AddSettingRows(*database_, *model_, settings); !added.ok()) return added;
    }
    return AddAnswer();
  }

  Status AddAnswer() {
    if (!report_) return Status::Ok();
    for (const ReportTable& table : ReportTables()) {
      if ((lazy_ && !Made(table.table)) || !filled_.insert(table.table).second) continue;
      if (Status status = table.write(*database_, *report_); !status.ok()) return status;
    }
    return Status::Ok();
  }

  template <typename Wanted>
  Status FillTables(Wanted wanted) {
    for (const TableFiller& filler : TableFillers()) {
      if (!wanted(filler.table) || !filled_.insert(filler.table).second) continue;
      if (Status status = FillTable(*database_, filler, *model_); !status.ok()) return status;
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
    if (model_ == nullptr) return Ended();
    return InTransaction(*database_, [&] { return FillTables(missing); });
  }

  EventTable events_;  // lazy only; the database reads it as long as it is open
  std::unique_ptr<Database> database_;
  const bool lazy_;
  bool loaded_ = false;
  // Lazy only: whether somebody asked since Load, which tables and views were made, and which queries were understood.
  bool registered_ = false;
  bool begun_ = false;
  bool broken_ = false;  // what was made may have been rolled back
  KnownQueries known_;
  std::set<std::string_view> made_;
  const RuleSet* rules_ = nullptr;
  std::vector<Finding> pending_;
  JobComparison comparison_;
  std::optional<Report> report_;  // when it is there
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

}  // namespace

Result<std::unique_ptr<Timeline>> OpenTimeline(const std::string& path) {
  return Guarded([&]() -> Result<std::unique_ptr<Timeline>> {
    const bool file = !path.empty() && path != ":memory:";
    if (file) {
      if (Status status = CheckReplaceable(path); !status.ok()) return status;
    }
    auto database = Database::Open({}, Database::Mode::kMemory, file ? path : "");
    if (!database.ok()) return database.status();
    Status status =
        database.value()->Execute("PRAGMA journal_mode = MEMORY; PRAGMA temp_store = MEMORY", "it was opened");
    if (!status.ok()) return status;
    auto memory = std::make_unique<SqliteTimeline>(database.take(), file || path.empty());
    return file ? NewFileTimeline(std::move(memory), path) : std::move(memory);
  });
}

void LimitQueryMemory() { sqlite3_hard_heap_limit64(limits::kQueryMemory); }

Result<std::unique_ptr<ReadOnlyTimeline>> OpenExisting(const std::string& path) {
  return Guarded([&]() -> Result<std::unique_ptr<ReadOnlyTimeline>> {
    std::error_code error;
    if (path.empty() || !std::filesystem::exists(path, error)) return Status::NotFound(path + ": does not exist");
    if (std::filesystem::is_directory(path, error)) return Status::InvalidArgument(path + ": is a directory");
    auto database = Database::Open(path, Database::Mode::kReadOnly);
    if (!database.ok()) return database.status();
    if (Status status = CheckIdentity(*database.value()); !status.ok()) return status;
    // What a query sorts would else fill the folder of temporary files.
    if (Status status = database.value()->Execute("PRAGMA temp_store = MEMORY", "it was opened"); !status.ok()) {
      return status;
    }
    // Those of the first format: later builds only add some.
    const auto views = database.value()->Integer(
        "SELECT count(*) FROM sqlite_master WHERE type = 'view' AND name IN ('source', 'process', 'rank', "
        "'communicator', 'event', 'connection', 'environment', 'collective', 'finding', 'cause', 'coverage')");
    if (!views.ok()) return views.status();
    if (views.value() != 11) return Status::Corrupt(path + ": is not a whole timeline; write it again");
    return std::unique_ptr<ReadOnlyTimeline>(std::make_unique<SqliteReader>(database.take()));
  });
}

}  // namespace ncclwhy

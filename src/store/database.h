// Database and Statement: SQLite handles that close themselves and speak Status.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "ncclwhy/status.h"

namespace ncclwhy {

// "NCCLwhyT" cut to 31 bits: what file(1) and we know a timeline by.
inline constexpr int32_t kApplicationId = 0x4E436C77;
// Grows when a private table changes. Files of a newer version are refused.
inline constexpr int32_t kFormatVersion = 1;

// Whether SQLite's functions can work on `text` as it is: ASCII without NUL.
// SQLite's functions of text end at a NUL, and LIKE of bytes that are no UTF-8 is undefined: such bytes never come in.
bool IsPlainText(std::string_view text);
// UTF-8 without NUL: other bytes stand as \xNN.
std::string CleanText(std::string_view text);

// One connection. Used by one thread at a time: it is opened without SQLite's mutex. Errors are a Status with a
// sentence that names the file; nothing here throws but for memory.
class Database {
 public:
  // kMemory ignores the path. kReadWrite makes the file where there is none.
  enum class Mode { kMemory, kReadWrite, kReadOnly };

  // Sentences name it `shown`, or as `path` says where that is empty.
  // kIo, kCorrupt or kLimit, as Error says. The schema of the file is not looked at: see CheckIdentity in
  // timeline_file.h.
  static Result<std::unique_ptr<Database>> Open(const std::string& path, Mode mode, const std::string& shown = {});
  // Statements that are still there keep the connection until they are gone.
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Statements without results, separated by semicolons. `doing` completes "… while …" of an error.
  // Of several statements those before an error have run.
  // Also a SELECT, whose rows are dropped.
  Status Execute(const char* sql, const char* doing);
  // One integer, for PRAGMAs and counts.
  // The first column of the first row; an error where there is none.
  Result<int64_t> Integer(const char* sql);
  // What the last failed call means, in a sentence that begins with the name of the file.
  // `code` is SQLite's, extended or not; `doing` completes "… while …" of what nobody expected.
  Status Error(int code, std::string_view doing) const;

  // Asks `may` about all that statements read from now on; null: about nothing. SQLite's own call prepares every
  // statement anew.
  // Arguments and answer are those of sqlite3_set_authorizer. Called within sqlite3_prepare, so it must not use the
  // connection; nor may it throw.
  using Authorizer = int (*)(void* self, int action, const char* a, const char* b, const char* database,
                             const char* view);
  void Authorize(Authorizer may, void* self);

  // For what is not here; stays this object's.
  sqlite3* handle() const { return db_; }
  const std::string& name() const { return name_; }

 private:
  Database(sqlite3* db, std::string name) : db_(db), name_(std::move(name)) {}
  // SQLite's door to the authorizer that is set now.
  static int Ask(void* self, int action, const char* a, const char* b, const char* database, const char* view);
  sqlite3* db_;
  std::string name_;
  bool asks_ = false;
  Authorizer may_ = nullptr;
  void* authority_ = nullptr;
};

// A prepared statement that is used again for every row:
//   insert.Integer(3).Text("gpu-a17").Null(); status = insert.Run();
// Parameters are bound in order. The text must live until Run; bytes that are not UTF-8 are written as \xNN.
// The row is bound while it is made, value by value, without a copy of its texts: a timeline of a large job has a
// million of them.
class Insert {
 public:
  // `database` must outlive it.
  // `sql` has as many `?` as each row has values.
  static Result<Insert> Prepare(Database& database, const char* sql);
  Insert(Insert&& other) noexcept : database_(other.database_), statement_(other.statement_) {
    other.statement_ = nullptr;
  }
  Insert& operator=(Insert&&) = delete;
  Insert(const Insert&) = delete;
  Insert& operator=(const Insert&) = delete;
  ~Insert();

  // The next parameter.
  Insert& Integer(int64_t value);
  // NaN becomes NULL, as SQLite has none.
  Insert& Real(double value);
  // Copied only where it has to be mended; see CleanText.
  // An empty text is an empty text, not NULL.
  Insert& Text(std::string_view value);
  Insert& Null();
  // NULL for what is not known: -1, 0 or empty text.
  Insert& IntegerOrNull(int64_t value, int64_t unknown = -1) { return value == unknown ? Null() : Integer(value); }
  Insert& TextOrNull(std::string_view value) { return value.empty() ? Null() : Text(value); }
  // Inserts the row, and begins the next one, also behind an error.
  // A row with too many or too few values is an error of the program (kInternal), told at the first one.
  Status Run();

 private:
  Insert(Database* database, sqlite3_stmt* statement) : database_(database), statement_(statement) {}
  Database* database_;
  sqlite3_stmt* statement_;
  // The parameter that is bound next; SQLite counts from 1.
  int next_ = 1;
};

}  // namespace ncclwhy

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
bool IsPlainText(std::string_view text);
// UTF-8 without NUL: other bytes stand as \xNN.
std::string CleanText(std::string_view text);

class Database {
 public:
  enum class Mode { kMemory, kReadWrite, kReadOnly };

  // Sentences name it `shown`, or as `path` says where that is empty.
  static Result<std::unique_ptr<Database>> Open(const std::string& path, Mode mode, const std::string& shown = {});
  // Statements that are still there keep the connection until they are gone.
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Statements without results, separated by semicolons. `doing` completes "… while …" of an error.
  // Of several statements those before an error have run.
  Status Execute(const char* sql, const char* doing);
  // One integer, for PRAGMAs and counts.
  // The first column of the first row; an error where there is none.
  Result<int64_t> Integer(const char* sql);
  // What the last failed call means, in a sentence that begins with the name of the file.
  Status Error(int code, std::string_view doing) const;

  // Asks `may` about all that statements read from now on; null: about nothing. SQLite's own call prepares every
  // statement anew.
  using Authorizer = int (*)(void* self, int action, const char* a, const char* b, const char* database,
                             const char* view);
  void Authorize(Authorizer may, void* self);

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
class Insert {
 public:
  // `database` must outlive it.
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
  Insert& Real(double value);
  // Copied only where it has to be mended; see CleanText.
  Insert& Text(std::string_view value);
  Insert& Null();
  // NULL for what is not known: -1, 0 or empty text.
  Insert& IntegerOrNull(int64_t value, int64_t unknown = -1) { return value == unknown ? Null() : Integer(value); }
  Insert& TextOrNull(std::string_view value) { return value.empty() ? Null() : Text(value); }
  // Inserts the row, and begins the next one, also behind an error.
  Status Run();

 private:
  Insert(Database* database, sqlite3_stmt* statement) : database_(database), statement_(statement) {}
  Database* database_;
  sqlite3_stmt* statement_;
  int next_ = 1;
};

}  // namespace ncclwhy

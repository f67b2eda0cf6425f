#include "store/database.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/swar.h"
#include "base/utf8.h"
#include "store/format_function.h"
#include "store/text_functions.h"

namespace ncclwhy {
namespace {

// Another process may be writing the same file; it needs a moment at most.
constexpr int kBusyMilliseconds = 2000;

// Why a file that is not there cannot be made. SQLite tells of its second attempt only, to read it: "no such file".
int CannotCreate(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path directory = std::filesystem::absolute(path, ignored).parent_path();
  // A file that is there, or a folder that is not, SQLite itself tells well enough.
  if (std::filesystem::exists(path, ignored) || !std::filesystem::is_directory(directory, ignored)) return 0;
  return access(directory.c_str(), W_OK) == 0 ? 0 : errno;
}

}  // namespace

// Text is long and nearly always plain: one pass, eight bytes at a time, without a branch that depends on them.
bool IsPlainText(std::string_view text) {
  // The high bit of a byte that has it, and, one being taken from each, of the first that is NUL.
  const auto odd = [](uint64_t bytes) { return ((bytes - swar::kOnes) | bytes) & swar::kHighs; };
  uint64_t any = 0;
  size_t at = 0;
  for (; at + sizeof any <= text.size(); at += sizeof any) any |= odd(swar::Load(text.data() + at));
  for (; at < text.size(); ++at) any |= odd(swar::kOnes << 8 | static_cast<unsigned char>(text[at]));
  return any == 0;
}

// A log that a crash of its host cut short may hold NULs.
std::string CleanText(std::string_view text) {
  std::string out = SanitizeUtf8(text);
  for (size_t at = 0; (at = out.find('\0', at)) != std::string::npos; at += 4) out.replace(at, 1, "\\x00");
  return out;
}

// Every connection is made as for a file from a stranger, also one in memory: queries of strangers come to both.
Result<std::unique_ptr<Database>> Database::Open(const std::string& path, Mode mode, const std::string& shown) {
  // A name that begins with "file:" or is ":memory:" would not be a file name to SQLite.
  const bool file = mode != Mode::kMemory;
  //    --db file:x?mode=memory     a file of that name, not an address with options
  const std::string name = file && (path.rfind("file:", 0) == 0 || path[0] == ':') ? "./" + path : path;
  const int flags = mode == Mode::kReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(file ? name.c_str() : ":memory:", &db,
                                   flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, nullptr);
  // Without memory for a handle there is none to ask what went wrong; every other failure has one.
  if (db == nullptr) return Status::Io("not enough memory to open the timeline");
  std::unique_ptr<Database> database(new Database(db, !shown.empty() ? shown : file ? path : "timeline"));
  if (code == SQLITE_CANTOPEN && mode == Mode::kReadWrite) {
    if (const int error = CannotCreate(path); error != 0) {
      return Status::Io(path + ": cannot be created: " + std::strerror(error));
    }
  }
  if (code != SQLITE_OK) return database->Error(code, "it was opened");
  sqlite3_extended_result_codes(db, 1);
  sqlite3_busy_timeout(db, kBusyMilliseconds);
  // A file may come from anybody: its schema may not call functions, and nothing may write to the schema.
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  if (Status status = UseTextFunctions(*database); !status.ok()) return status;
  if (Status status = UseFormatFunctions(*database); !status.ok()) return status;
  return database;
}

// _v2: with statements that are still there it becomes a zombie and goes with the last of them.
Database::~Database() { sqlite3_close_v2(db_); }

// Set once and kept: setting SQLite's own again would have it prepare all statements anew.
void Database::Authorize(Authorizer may, void* self) {
  may_ = may;
  authority_ = self;
  if (asks_ || may == nullptr) return;
  asks_ = true;
  sqlite3_set_authorizer(db_, &Database::Ask, this);
}

int Database::Ask(void* self, int action, const char* a, const char* b, const char* database, const char* view) {
  const auto* const my = static_cast<const Database*>(self);
  return my->may_ == nullptr ? SQLITE_OK : my->may_(my->authority_, action, a, b, database, view);
}

Status Database::Execute(const char* sql, const char* doing) {
  const int code = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Status::Ok() : Error(code, doing);
}

// The first column of the first row; an error where there is no row.
Result<int64_t> Database::Integer(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr);
  if (code == SQLITE_OK) code = sqlite3_step(statement);
  if (code != SQLITE_ROW) {
    const Status status = Error(code, "it was read");
    sqlite3_finalize(statement);
    return status;
  }
  const int64_t value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return value;
}

// A sentence for a person, with the code that decides the exit status: what the system refused is kIo, what the file is
// kCorrupt, what the query asked too much of kLimit.
Status Database::Error(int code, std::string_view doing) const {
  const std::string head = name_ + ": ";
  // The low byte is the primary code; extended ones say which call of the system failed, which errno says better.
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return Status::Io(head + "the disk is full");
    case SQLITE_READONLY:
      return Status::Io(head + "cannot be written: the file or its directory is read-only");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Status::Io(head + "is in use by another process");
    case SQLITE_NOTADB:
      return Status::Corrupt(head + "is not a timeline of ncclwhy (no SQLite database)");
    case SQLITE_CORRUPT:
      return Status::Corrupt(head + "is damaged: " + sqlite3_errmsg(db_));
    case SQLITE_NOMEM:
      return Status::Limit(head + "not enough memory");
    case SQLITE_CANTOPEN: {
      const int error = sqlite3_system_errno(db_);
      return Status::Io(head + "cannot be opened" + (error == 0 ? "" : std::string(": ") + std::strerror(error)));
    }
    case SQLITE_IOERR: {
      const int error = sqlite3_system_errno(db_);
      return Status::Io(head + "input/output error" + (error == 0 ? "" : std::string(": ") + std::strerror(error)));
    }
    default:
      return Status::Internal(head + sqlite3_errmsg(db_) + " while " + std::string(doing));
  }
}

Result<Insert> Insert::Prepare(Database& database, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  // PERSISTENT: it will be run for a whole table.
  const int code = sqlite3_prepare_v3(database.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return database.Error(code, "it was filled");
  return Insert(&database, statement);
}

Insert::~Insert() { sqlite3_finalize(statement_); }

Insert& Insert::Integer(int64_t value) {
  sqlite3_bind_int64(statement_, next_++, value);
  return *this;
}

Insert& Insert::Real(double value) {
  sqlite3_bind_double(statement_, next_++, value);
  return *this;
}

// Text that SQLite can take as it is stays where it is until Run; only what has to be mended is copied.
Insert& Insert::Text(std::string_view value) {
  if (IsPlainText(value)) {
    const char* data = value.empty() ? "" : value.data();
    sqlite3_bind_text64(statement_, next_++, data, value.size(), SQLITE_STATIC, SQLITE_UTF8);
  } else {
    const std::string clean = CleanText(value);
    sqlite3_bind_text64(statement_, next_++, clean.data(), clean.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  return *this;
}

Insert& Insert::Null() {
  sqlite3_bind_null(statement_, next_++);
  return *this;
}

// The statement is ready for the next row, whatever became of this one.
Status Insert::Run() {
  // A value too many or too few would put each of the others into a wrong column of the next row.
  const int bound = next_ - 1;
  next_ = 1;
  if (bound != sqlite3_bind_parameter_count(statement_)) {
    return Status::Internal(database_->name() + ": a row of " + std::to_string(bound) +
                            " values for: " + sqlite3_sql(statement_));
  }
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_DONE) {
    sqlite3_reset(statement_);
    return Status::Ok();
  }
  Status status = database_->Error(code, "it was filled");
  sqlite3_reset(statement_);
  return status;
}

}  // namespace ncclwhy

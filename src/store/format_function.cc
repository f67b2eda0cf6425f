#include "store/format_function.h"

#include <sqlite3.h>

#include <exception>
#include <map>
#include <memory>
#include <string>

namespace ncclwhy {
namespace {

struct Close {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

// SQLite's own printf, asked on a connection that has no other: a function that takes its place cannot call it.
class Formatter {
 public:
  void Call(sqlite3_context* context, int count, sqlite3_value** values) {
    const auto* format = count == 0 ? nullptr : sqlite3_value_text(values[0]);
    // Of an empty one SQLite, too, makes no text.
    if (format == nullptr || *format == '\0') return;
    sqlite3_stmt* const statement = Prepared(count);
    if (statement == nullptr) return sqlite3_result_error_nomem(context);
    // One more than here: each text begins with a letter of ours.
    const int most = sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1);
    sqlite3_limit(own_.get(), SQLITE_LIMIT_LENGTH, most + 1);
    int code = SQLITE_OK;
    for (int i = 0; i < count && code == SQLITE_OK; ++i) code = sqlite3_bind_value(statement, i + 1, values[i]);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    Answer(context, statement, code);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
  }

 private:
  // With the letter no text is empty, which is NULL, too: NULL is one that did not fit.
  static void Answer(sqlite3_context* context, sqlite3_stmt* statement, int code) {
    if (code == SQLITE_NOMEM) return sqlite3_result_error_nomem(context);
    const bool fits = code == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL;
    if (!fits) return sqlite3_result_error_toobig(context);
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    const int size = sqlite3_column_bytes(statement, 0);
    sqlite3_result_text(context, text + 1, size - 1, SQLITE_TRANSIENT);
  }

  // SELECT printf('x' || ?1, ?2, ?3)
  sqlite3_stmt* Prepared(int count) {
    sqlite3* db = own_.get();
    if (db == nullptr) {
      const int code = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
      own_.reset(db);
      if (code != SQLITE_OK) {
        own_.reset();
        return nullptr;
      }
    }
    std::unique_ptr<sqlite3_stmt, Close>& known = statements_[count];
    if (known == nullptr) {
      std::string sql = "SELECT printf('x' || ?1";
      for (int i = 2; i <= count; ++i) sql += ", ?" + std::to_string(i);
      sql += ")";
      sqlite3_stmt* made = nullptr;
      sqlite3_prepare_v2(db, sql.c_str(), -1, &made, nullptr);
      known.reset(made);
    }
    return known.get();
  }

  std::unique_ptr<sqlite3, Close> own_;
  std::map<int, std::unique_ptr<sqlite3_stmt, Close>> statements_;  // by the number of arguments
};

// Nothing is thrown into SQLite.
void Format(sqlite3_context* context, int count, sqlite3_value** values) {
  try {
    static_cast<Formatter*>(sqlite3_user_data(context))->Call(context, count, values);
  } catch (const std::exception&) {
    sqlite3_result_error_nomem(context);
  }
}

void Destroy(void* formatter) { delete static_cast<Formatter*>(formatter); }

}  // namespace

Status UseFormatFunctions(Database& database) {
  for (const char* name : {"printf", "format"}) {
    // SQLite owns it from here on, also where it fails.
    const int code =
        sqlite3_create_function_v2(database.handle(), name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                   std::make_unique<Formatter>().release(), Format, nullptr, nullptr, Destroy);
    if (code != SQLITE_OK) return database.Error(code, "it was opened");
  }
  return {};
}

}  // namespace ncclwhy

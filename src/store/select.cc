#include "store/select.h"

namespace ncclwhy {

Result<Select> Select::Prepare(Database& database, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database.handle(), sql, -1, &statement, nullptr);
  if (code != SQLITE_OK) return database.Error(code, "it was read");
  return Select(&database, statement);
}

Select::~Select() { sqlite3_finalize(statement_); }

Select& Select::Bind(int64_t value) {
  sqlite3_bind_int64(statement_, next_++, value);
  return *this;
}

Select& Select::Bind(std::string_view value) {
  const std::string clean = CleanText(value);
  sqlite3_bind_text64(statement_, next_++, clean.data(), clean.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}

Result<bool> Select::Next() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return database_->Error(code, "it was read");
}

int64_t Select::Integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Select::Real(int column) const { return sqlite3_column_double(statement_, column); }

std::string Select::Text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_, column);
  const int bytes = sqlite3_column_bytes(statement_, column);
  return text == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(text), static_cast<size_t>(bytes));
}

}  // namespace ncclwhy

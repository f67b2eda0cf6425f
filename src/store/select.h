// Select: one reading statement of ours, with bound values, row by row. For SQL of others see query.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "store/database.h"

namespace ncclwhy {

// For tables of this program (src/history): no gate, no limits. One thread at a time.
class Select {
 public:
  // The database must outlive it.
  // The error is the database's, in a sentence.
  static Result<Select> Prepare(Database& database, const char* sql);
  Select(Select&& other) noexcept : database_(other.database_), statement_(other.statement_) {
    other.statement_ = nullptr;
  }
  Select& operator=(Select&&) = delete;
  Select(const Select&) = delete;
  Select& operator=(const Select&) = delete;
  ~Select();

  // Bound in order, before the first row.
  // The next parameter, from the first.
  // Texts are copied, and mended where they are no UTF-8 (CleanText).
  Select& Bind(int64_t value);
  Select& Bind(std::string_view value);
  // False behind the last row.
  // Behind an error or the last row it must not be called again.
  Result<bool> Next();

  // Columns of the row, from 0; NULL is 0 or empty.
  // A column that is not there is NULL, too.
  int64_t Integer(int column) const;
  double Real(int column) const;
  std::string Text(int column) const;

 private:
  Select(Database* database, sqlite3_stmt* statement) : database_(database), statement_(statement) {}
  Database* database_;
  sqlite3_stmt* statement_;
  int next_ = 1;
};

}  // namespace ncclwhy

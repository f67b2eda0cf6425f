// RowWriter: rows of one table, each value behind the name of its column:
//
//   RowWriter rows(database, "_process");
//   Status status = rows.Add("id", p.id, "host?", p.host, "pid?", p.pid);
//
// A name that ends with `?`: NULL where the value is not known, an empty text, a number below 0, an unsigned 0. An id
// that is not valid is NULL, and so is an optional value that is none. SQLite refuses a column that is not there, and a
// row without one that it must have.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/ids.h"
#include "job/job_model.h"
#include "store/database.h"

namespace ncclwhy {

// None where no line is known.
// Source 0 is a source: without a line a place would point at the wrong one.
inline SourceId SourceOf(const Place& place) { return place.line == 0 ? SourceId{} : place.source; }

// Prepares its statement at the first row, so a table without rows costs nothing. Not thread-safe; the database must
// outlive it.
class RowWriter {
 public:
  // `table` is a private table of schema.sql, a word of the program: it is put into SQL as it is.
  RowWriter(Database& database, std::string_view table) : database_(database), table_(table) {}

  // Of one writer always the same names.
  // Texts need to live until it returns only. Columns that are not named are NULL.
  template <typename... Columns>
  Status Add(const Columns&... columns) {
    static_assert(sizeof...(columns) % 2 == 0, "names and values");
    if (!insert_) {
      std::string names, marks;
      List(&names, &marks, columns...);
      const std::string sql = "INSERT INTO " + table_ + " (" + names + ") VALUES (" + marks + ")";
      Result<Insert> prepared = Insert::Prepare(database_, sql.c_str());
      if (!prepared.ok()) return prepared.status();
      insert_.emplace(prepared.take());
    }
    Bind(columns...);
    return insert_->Run();
  }

 private:
  // The names, and as many marks.
  static void List(std::string*, std::string*) {}
  template <typename T, typename... More>
  static void List(std::string* names, std::string* marks, std::string_view name, const T&, const More&... more) {
    if (name.ends_with('?')) name.remove_suffix(1);
    names->append(names->empty() ? "" : ",").append(name);
    marks->append(marks->empty() ? "?" : ",?");
    List(names, marks, more...);
  }

  void Bind() {}
  template <typename T, typename... More>
  void Bind(std::string_view name, const T& value, const More&... more) {
    Put(value, name.ends_with('?'));
    Bind(more...);
  }
  // One for each type that a row may hold. A type without one does not compile.
  template <typename Tag>
  void Put(Id<Tag> id, bool) {
    id.valid() ? insert_->Integer(id.value) : insert_->Null();
  }
  template <typename T>
  void Put(const std::optional<T>& value, bool) {
    value ? Put(*value, false) : static_cast<void>(insert_->Null());
  }
  void Put(std::string_view text, bool may_lack) { may_lack ? insert_->TextOrNull(text) : insert_->Text(text); }
  template <typename T>
  requires std::is_arithmetic_v<T>
  void Put(T value, bool may_lack) {
    const bool known = std::is_unsigned_v<T> ? value != T{0} : value >= T{0};
    if (may_lack && !known) {
      insert_->Null();
    } else if constexpr (std::is_floating_point_v<T>) {
      insert_->Real(value);
    } else {
      insert_->Integer(static_cast<int64_t>(value));
    }
  }

  Database& database_;
  const std::string table_;
  // None before the first row.
  std::optional<Insert> insert_;
};

}  // namespace ncclwhy

#include "store/query.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

#include "base/limits.h"
#include "base/time_budget.h"
#include "store/schema_parts.h"

namespace ncclwhy {
namespace {

// Table-valued functions: no files behind them.
constexpr std::array<std::string_view, 3> kTableFunctions = {"json_each", "json_tree", "pragma_table_info"};

// Functions that only compute. What is missing on purpose: load_extension, readfile, writefile, edit, zeroblob and
// randomblob (memory), random (a report must not change from run to run).
// A blank on either side of each: what is looked for is " name ".
constexpr std::string_view kFunctions =
    " -> ->> abs avg char coalesce concat concat_ws count cume_dist date datetime dense_rank first_value"
    " format glob group_concat hex ifnull iif instr json json_array json_array_length json_extract"
    " json_group_array json_group_object json_object json_quote json_type json_valid julianday lag"
    " last_value lead length like likelihood likely lower ltrim max min nth_value ntile nullif"
    " percent_rank printf quote rank replace round row_number rtrim sign strftime string_agg substr"
    " substring sum time total trim typeof unicode unixepoch unlikely upper ";

template <typename Names>
bool Contains(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::string_view View(const char* text) { return text == nullptr ? std::string_view() : text; }

bool IsPrivateTable(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower.starts_with('_') && std::any_of(SchemaParts().begin(), SchemaParts().end(),
                                               [&](const SchemaPart& part) { return part.name == lower; });
}

// Whether `sql` names a private table, bare or in any quotes: SQLite takes even 'text' for a name where a table may
// stand.
// By its words, not by SQLite's parser: a query that is refused for a text in quotes is a nuisance, one that reads a
// private table is a promise broken.
//    SELECT * FROM "_event"   [_event]   `_event`   '_event'
bool NamesPrivateTable(std::string_view sql) {
  std::string before;  // the last word or sign
  const auto find = [&](std::string_view end, size_t from) { return std::min(sql.find(end, from), sql.size()); };
  for (size_t i = 0; i < sql.size();) {
    const char c = sql[i];
    size_t end = i;
    if (sql.substr(i, 2) == "--" || sql.substr(i, 2) == "/*") {
      i = find(c == '-' ? "\n" : "*/", i + 2) + (c == '-' ? 1 : 2);
    } else if (c == '"' || c == '`' || c == '[' || c == '\'') {
      end = find(std::string_view(c == '[' ? "]" : &sql[i], 1), i + 1);
      const bool data =
          c == '\'' && before != "from" && before != "join" && before != "," && before != "(" && before != ".";
      if (!data && IsPrivateTable(sql.substr(i + 1, end - i - 1))) return true;
      i = end + 1;
      before.clear();
    } else {
      while (end < sql.size() && (std::isalnum(static_cast<unsigned char>(sql[end])) != 0 || sql[end] == '_' ||
                                  sql[end] == '$' || static_cast<signed char>(sql[end]) < 0)) {
        ++end;
      }
      if (IsPrivateTable(sql.substr(i, end - i))) return true;
      end = std::max(end, i + 1);
      if (std::isspace(static_cast<unsigned char>(c)) == 0) before.clear();
      for (; i < end; ++i) {
        if (std::isspace(static_cast<unsigned char>(sql[i])) == 0)
          before += static_cast<char>(std::tolower(static_cast<unsigned char>(sql[i])));
      }
    }
  }
  return false;
}

// What may be read, for SQLite's authorizer; remembers why something was refused.
// SQLite asks for every table, column and function when a statement is prepared, and again when it has to prepare it
// anew.
class Gate {
 public:
  Gate(Database& database, bool names_private) : database_(database), names_private_(names_private) {
    database_.Authorize(&Gate::Ask, this);
  }
  ~Gate() { database_.Authorize(nullptr, nullptr); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  const std::string& refused() const { return refused_; }
  const std::set<std::string>& tables() const { return tables_; }
  // While we fill tables ourselves.
  // INSERT and CREATE are refused otherwise.
  void Open(bool open) { open_ = open; }

 private:
  static int Ask(void* self, int action, const char* a, const char* b, const char* database, const char* view) {
    return static_cast<Gate*>(self)->Allow(action, View(a), View(b), View(database), View(view)) ? SQLITE_OK
                                                                                                 : SQLITE_DENY;
  }

  bool Allow(int action, std::string_view a, std::string_view b, std::string_view database, std::string_view view) {
    if (open_) return true;
    switch (action) {
      case SQLITE_SELECT:
      case SQLITE_RECURSIVE:
        return true;
      case SQLITE_FUNCTION:
        return kFunctions.find(" " + std::string(b) + " ") != std::string_view::npos ||
               Refuse("the function " + std::string(b) + " may not be used");
      case SQLITE_READ:
        if (IsPublicView(a) || Contains(kTableFunctions, a)) return true;
        // Without a column rows are only counted; SQLite then tells neither database nor view. A name that is neither
        // a table of ours nor of SQLite's is a common table expression.
        if (b.empty() && !a.starts_with('_') && !a.starts_with("sqlite_")) return true;
        // A common table expression may have the name of a view: who names a private table reads none.
        if (a.starts_with('_') && (database == "main" || database.empty()) && !names_private_ &&
            (IsPublicView(view) || b.empty())) {
          tables_.emplace(a);
          return true;
        }
        return Refuse("the table " + std::string(a) + " is not one of the public views");
      case SQLITE_PRAGMA:  // pragma_table_info('event')
        return (a == "table_info" && IsPublicView(b)) || Refuse("PRAGMA may not be used");
      default:
        return Refuse("only one SELECT may be run");
    }
  }

  bool Refuse(std::string why) {
    if (refused_.empty()) refused_ = std::move(why);
    return false;
  }

  Database& database_;
  bool names_private_;
  bool open_ = false;
  std::string refused_;
  std::set<std::string> tables_;
};

// Caps for one query; the connection's own are put back afterwards.
// A step is an instruction of SQLite's machine. The limit of time is asked every 512 steps, so a single one that takes
// seconds is not ended: see text_functions.h.
class Caps {
 public:
  explicit Caps(Database& database) : db_(database.handle()) {
    constexpr std::array<std::pair<int, int>, 6> kCaps = {
        {{SQLITE_LIMIT_LENGTH, static_cast<int>(limits::kQueryValueBytes)},
         {SQLITE_LIMIT_ATTACHED, 0},
         // Instructions of one statement: views in views in views.
         {SQLITE_LIMIT_VDBE_OP, 250'000},
         {SQLITE_LIMIT_COMPOUND_SELECT, 100},
         {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 512},
         {SQLITE_LIMIT_EXPR_DEPTH, 200}}};
    for (size_t i = 0; i < kCaps.size(); ++i)
      old_[i] = {kCaps[i].first, sqlite3_limit(db_, kCaps[i].first, kCaps[i].second)};
    sqlite3_progress_handler(db_, kStepsPerLook, &Caps::Look, this);
  }
  ~Caps() {
    sqlite3_progress_handler(db_, 0, nullptr, nullptr);
    for (const auto& [id, value] : old_) sqlite3_limit(db_, id, value);
  }
  Caps(const Caps&) = delete;
  Caps& operator=(const Caps&) = delete;

 private:
  static constexpr int kStepsPerLook = 512;

  static int Look(void* self) {
    auto* caps = static_cast<Caps*>(self);
    caps->steps_ += kStepsPerLook;
    return caps->steps_ > limits::kQuerySteps || caps->time_.Spent() ? 1 : 0;
  }

  sqlite3* db_;
  std::array<std::pair<int, int>, 6> old_{};
  int64_t steps_ = 0;
  TimeBudget time_{limits::kQueryMilliseconds};
};

// What went wrong, for whoever wrote the query.
Status QueryError(const Database& database, int code, const Gate& gate) {
  switch (code & 0xFF) {
    case SQLITE_AUTH:
      return Status::InvalidArgument("query refused: " + gate.refused());
    case SQLITE_INTERRUPT:
      return Status::Limit("the query took too long and was stopped");
    case SQLITE_NOMEM:
      return Status::Limit("the query needs too much memory; sort or gather less");
    case SQLITE_TOOBIG:
      return Status::Limit("the query makes a value that is too large");
    case SQLITE_ERROR:
    case SQLITE_MISMATCH:
      // A refused function or table inside a view comes back as a plain error.
      if (!gate.refused().empty()) return Status::InvalidArgument("query refused: " + gate.refused());
      return Status::InvalidArgument(std::string("query: ") + sqlite3_errmsg(database.handle()));
    default:
      return database.Error(code, "it was queried");
  }
}

// SQLite makes the table of a table-valued function when it is first named, which a gate would refuse.
void MakeTableFunctions(Database& database, std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const std::string_view name : kTableFunctions) {
    if (text.find(name) == std::string::npos) continue;
    const std::string sql = "SELECT 1 FROM " + std::string(name) + "('[]')";
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &statement, nullptr);
    sqlite3_finalize(statement);
  }
}

// Blanks, semicolons and comments.
bool IsEmptyTail(Database& database, const char* tail, const char* end) {
  sqlite3_stmt* statement = nullptr;
  // A second statement is refused; a comment behind the first is none.
  while (tail < end && (*tail == ';' || *tail == ' ' || *tail == '\n')) ++tail;
  if (tail == end) return true;
  const int code = sqlite3_prepare_v2(database.handle(), tail, static_cast<int>(end - tail), &statement, nullptr);
  const bool empty = code == SQLITE_OK && statement == nullptr;
  sqlite3_finalize(statement);
  return empty;
}

// A value as text, as `sqlite3` prints it; a BLOB in hexadecimal digits, as it may hold anything.
// NULL is no cell. Numbers as SQLite prints them: 0.1, not 0.1000000000000000055.
std::optional<std::string> Cell(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
      return std::nullopt;
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement, column));
      const int size = sqlite3_column_bytes(statement, column);
      constexpr char kHex[] = "0123456789abcdef";
      std::string out;
      for (int i = 0; i < size; ++i) (out += kHex[bytes[i] >> 4]) += kHex[bytes[i] & 15];
      return out;
    }
    default: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
      return std::string(text == nullptr ? "" : text, static_cast<size_t>(sqlite3_column_bytes(statement, column)));
    }
  }
}

// The limits of rows and bytes are kept here, those of steps and time by Caps.
Result<QueryTable> ReadRows(const Database& database, sqlite3_stmt* statement, const Gate& gate) {
  QueryTable table;
  const int columns = sqlite3_column_count(statement);
  for (int i = 0; i < columns; ++i) table.columns.emplace_back(View(sqlite3_column_name(statement, i)));
  size_t bytes = 0;
  int code;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    if (table.rows.size() == limits::kQueryRows) {
      return Status::Limit("the query has more than " + std::to_string(limits::kQueryRows) + " rows; add a LIMIT");
    }
    std::vector<std::optional<std::string>>& row = table.rows.emplace_back();
    row.reserve(static_cast<size_t>(columns));
    for (int i = 0; i < columns; ++i) {
      row.push_back(Cell(statement, i));
      bytes += row.back() ? row.back()->size() : 0;
    }
    if (bytes > limits::kQueryBytes)
      return Status::Limit("the query's answer is too large; select less or add a LIMIT");
  }
  if (code != SQLITE_DONE) return QueryError(database, code, gate);
  return table;
}

}  // namespace

namespace {

// Of a query that may be run; its tables are those that the gate saw.
Status Prepare(Database& database, const Gate& gate, KnownQueries::Query* query) {
  const std::string& text = query->text;
  const char* tail = nullptr;
  sqlite3_stmt* raw = nullptr;
  int code;
  {
    // Preparing can be slow as well: some hundred compound SELECTs.
    const Caps caps(database);
    code = sqlite3_prepare_v2(database.handle(), text.c_str(), static_cast<int>(text.size()), &raw, &tail);
  }
  query->statement.reset(raw);
  if (code != SQLITE_OK) return QueryError(database, code, gate);
  if (raw == nullptr) return Status::InvalidArgument("query: there is no statement");
  const bool one_select = sqlite3_column_count(raw) > 0 && sqlite3_stmt_readonly(raw) != 0 &&
                          sqlite3_stmt_isexplain(raw) == 0 && IsEmptyTail(database, tail, text.c_str() + text.size());
  if (!one_select) return Status::InvalidArgument("query refused: only one SELECT may be run");
  query->tables = gate.tables();
  return Status::Ok();
}

}  // namespace

Result<QueryTable> RunQuery(Database& database, std::string_view sql, const BeforeQuery& before, KnownQueries* known) {
  if (sql.size() > limits::kQueryText) return Status::InvalidArgument("query: the text is too long");
  if (sql.find('\0') != std::string_view::npos) return Status::InvalidArgument("query: the text has a NUL byte");
  // Looking through a text and preparing it costs more than running most of the rules' queries.
  const KnownQueries::Query* query = known == nullptr ? nullptr : known->Find(sql);
  KnownQueries::Query fresh;
  if (query == nullptr) {
    fresh.text = sql;
    fresh.names_private = NamesPrivateTable(fresh.text);
    MakeTableFunctions(database, fresh.text);
  }
  Gate gate(database, (query == nullptr ? fresh : *query).names_private);
  if (query == nullptr) {
    if (Status status = Prepare(database, gate, &fresh); !status.ok()) return status;
    query = &fresh;
  }
  if (before) {
    gate.Open(true);
    Status status = before(query->tables);
    gate.Open(false);
    if (!status.ok()) return status;
  }
  Result<QueryTable> table = [&] {
    const Caps caps(database);
    // Reset at every end: a statement in the middle would hold its transaction open.
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> reset(query->statement.get(), sqlite3_reset);
    return ReadRows(database, reset.get(), gate);
  }();
  if (query == &fresh && known != nullptr && table.ok()) known->Keep(std::move(fresh));
  return table;
}

// For rules, which ask for columns by name.
std::vector<QueryRow> RowsOf(QueryTable table) {
  std::vector<QueryRow> rows;
  rows.reserve(table.rows.size());
  for (auto& cells : table.rows) {
    QueryRow& row = rows.emplace_back();
    for (size_t i = 0; i < cells.size(); ++i) {
      if (cells[i]) row.columns.emplace_back(table.columns[i], std::move(*cells[i]));
    }
  }
  return rows;
}

}  // namespace ncclwhy

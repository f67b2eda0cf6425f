// ncclwhy_bench_inserts TIMELINE COPY: writes the rows of a timeline into a new file with one prepared statement for
// each table, one transaction and the same indexes, and prints how long that took: what SQLite itself needs for these
// rows. Reading them is not counted.
#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

// Rows that are held at once.
constexpr size_t kBatch = 50'000;

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};
struct EndStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
struct FreeValue {
  void operator()(sqlite3_value* value) const { sqlite3_value_free(value); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;
using Statement = std::unique_ptr<sqlite3_stmt, EndStatement>;
using Value = std::unique_ptr<sqlite3_value, FreeValue>;

void Check(int code, const Database& db) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
  fmt::print(stderr, "ncclwhy_bench_inserts: {}\n", sqlite3_errmsg(db.get()));
  std::exit(1);
}

Database Open(const char* path) {
  sqlite3* db = nullptr;
  const int code =
      sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Database out(db);
  Check(code, out);
  return out;
}

Statement Prepare(const Database& db, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  Check(sqlite3_prepare_v2(db.get(), sql.c_str(), -1, &statement, nullptr), db);
  return Statement(statement);
}

void Execute(const Database& db, const std::string& sql) {
  Check(sqlite3_exec(db.get(), sql.c_str(), nullptr, nullptr, nullptr), db);
}

std::vector<std::vector<std::string>> TextRows(const Database& db, const std::string& sql, int columns) {
  std::vector<std::vector<std::string>> rows;
  const Statement statement = Prepare(db, sql);
  while (sqlite3_step(statement.get()) == SQLITE_ROW) {
    std::vector<std::string>& row = rows.emplace_back();
    for (int i = 0; i < columns; ++i) {
      row.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), i)));
    }
  }
  return rows;
}

// Adds up wall and processor time of what runs inside.
class Stopwatch {
 public:
  void Run(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    const std::clock_t cpu = std::clock();
    work();
    wall_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    cpu_ += static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  }
  double wall() const { return wall_; }
  double cpu() const { return cpu_; }

 private:
  double wall_ = 0;
  double cpu_ = 0;
};

size_t CopyTable(const Database& from, const Database& to, const std::string& table, Stopwatch* watch) {
  const Statement select = Prepare(from, "SELECT * FROM " + table);
  const int columns = sqlite3_column_count(select.get());
  std::string marks;
  for (int i = 0; i < columns; ++i) marks += i == 0 ? "?" : ",?";
  const Statement insert = Prepare(to, "INSERT INTO " + table + " VALUES (" + marks + ")");
  std::vector<Value> values;
  size_t copied = 0;
  for (bool more = true; more;) {
    values.clear();
    while (more && values.size() < kBatch * static_cast<size_t>(columns)) {
      more = sqlite3_step(select.get()) == SQLITE_ROW;
      for (int i = 0; more && i < columns; ++i)
        values.emplace_back(sqlite3_value_dup(sqlite3_column_value(select.get(), i)));
    }
    watch->Run([&] {
      for (size_t at = 0; at < values.size(); ++copied) {
        for (int i = 0; i < columns; ++i) Check(sqlite3_bind_value(insert.get(), i + 1, values[at++].get()), to);
        Check(sqlite3_step(insert.get()), to);
        Check(sqlite3_reset(insert.get()), to);
      }
    });
  }
  return copied;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: ncclwhy_bench_inserts TIMELINE COPY\n");
    return 2;
  }
  std::remove(argv[2]);
  const Database from = Open(argv[1]);
  const Database to = Open(argv[2]);
  Stopwatch watch;
  size_t rows = 0;
  watch.Run([&] { Execute(to, "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE"); });
  const auto made = [&](const char* type) {
    return TextRows(from,
                    fmt::format("SELECT name, sql FROM sqlite_master WHERE type = '{}' AND sql IS NOT NULL", type), 2);
  };
  const auto tables = made("table");
  for (const auto& table : tables) watch.Run([&] { Execute(to, table[1]); });
  for (const auto& table : tables) rows += CopyTable(from, to, table[0], &watch);
  for (const auto& index : made("index")) watch.Run([&] { Execute(to, index[1]); });
  watch.Run([&] { Execute(to, "COMMIT"); });
  fmt::print("{{\"rows\":{},\"wall_s\":{:.4f},\"cpu_s\":{:.4f}}}\n", rows, watch.wall(), watch.cpu());
  return 0;
}

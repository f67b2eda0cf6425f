// Our instr, replace and trim answer as SQLite's do.
#include "store/text_functions.h"

#include <sqlite3.h>

#include <ctime>
#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

std::string Ask(sqlite3* db, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) return sqlite3_errmsg(db);
  sqlite3_step(statement);
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
  std::string out = text == nullptr ? "NULL" : std::string(text) + "|";
  sqlite3_finalize(statement);
  return out;
}

TEST_CASE("functions of text answer as SQLite's own", "[store]") {
  sqlite3* plain = nullptr;
  REQUIRE(sqlite3_open(":memory:", &plain) == SQLITE_OK);
  const auto ours = Database::Open("", Database::Mode::kMemory).take();
  const char* values[] = {"''",
                          "'a'",
                          "'abab'",
                          "'ababab\xc3\xa4"
                          "b'",
                          "'\xc3\xa4'",
                          "' a '",
                          "'aabaaab'",
                          "NULL",
                          "17",
                          "1.5",
                          "x'6162ff'",
                          "x'62'",
                          "'\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad'",
                          "'\xe4\xb8\xad'"};
  for (const char* a : values) {
    for (const char* b : values) {
      for (const std::string& call :
           {std::string("instr(") + a + "," + b + ")", std::string("trim(") + a + "," + b + ")",
            std::string("ltrim(") + a + "," + b + ")", std::string("rtrim(") + a + "," + b + ")",
            std::string("trim(") + a + ")", std::string("replace(") + a + "," + b + ",'xy')",
            std::string("replace(") + a + "," + b + ",'')", std::string("replace(") + a + ",'b'," + b + ")"}) {
        const std::string sql = "SELECT hex(" + call + ")";
        CAPTURE(sql);
        CHECK(Ask(ours->handle(), sql) == Ask(plain, sql));
      }
    }
  }
  sqlite3_close(plain);
}

TEST_CASE("functions of text take a time in proportion to it", "[store]") {
  const auto ours = Database::Open("", Database::Mode::kMemory).take();
  const std::string a = "replace(hex(zeroblob(500000)),'00','aa')", b = "replace(hex(zeroblob(250000)),'00','aa')||'b'";
  const std::clock_t begin = std::clock();  // the process's own time: a busy or emulated machine stretches the clock's
  CHECK(Ask(ours->handle(), "SELECT instr(" + a + "," + b + ")") == "0|");
  CHECK(Ask(ours->handle(), "SELECT length(replace(" + a + "," + b + ",''))") == "1000000|");
  CHECK(Ask(ours->handle(), "SELECT length(trim(" + a + "," + b + "))") == "0|");
  CHECK(std::clock() - begin < 5 * CLOCKS_PER_SEC);
}

TEST_CASE("printf answers as SQLite's own, and says when a text is too large", "[store]") {
  sqlite3* plain = nullptr;
  REQUIRE(sqlite3_open(":memory:", &plain) == SQLITE_OK);
  const auto ours = Database::Open("", Database::Mode::kMemory).take();
  for (const std::string name : {"printf", "format"}) {
    for (const std::string arguments :
         {"", "NULL", "''", "'%s', ''", "'%s', NULL", "'a%'", "'%d|%5.2f|%x', 7, 1.5, 255", "'%Q', 'it''s'", "17",
          "'%s', x'6162'", "'%%', 1, 2, 3", "'%s'", "'%,d', 1234567", "'\xe4\xb8\xad%3s', '\xe6\x96\x87'"}) {
      const std::string sql =
          "SELECT typeof(" + name + "(" + arguments + ")) || quote(" + name + "(" + arguments + "))";
      CAPTURE(sql);
      CHECK(Ask(ours->handle(), sql) == Ask(plain, sql));
    }
    // Once it was NULL, and a query of it a success.
    sqlite3_limit(ours->handle(), SQLITE_LIMIT_LENGTH, 1000);
    const auto code = [&](const std::string& sql) {
      sqlite3_stmt* statement = nullptr;
      REQUIRE(sqlite3_prepare_v2(ours->handle(), sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
      const int out = sqlite3_step(statement);
      sqlite3_finalize(statement);
      return out & 0xFF;
    };
    CHECK(code("SELECT " + name + "('%999d', 1)") == SQLITE_ROW);
    CHECK(code("SELECT typeof(" + name + "('%2000d', 1))") == SQLITE_TOOBIG);
    sqlite3_limit(ours->handle(), SQLITE_LIMIT_LENGTH, 1000000);
  }
  sqlite3_close(plain);
}

}  // namespace
}  // namespace ncclwhy

#include "store/like.h"

#include <sqlite3.h>

#include <random>
#include <string>

#include "catch.h"

namespace ncclwhy {
namespace {

TEST_CASE("LIKE compares as SQLite does") {
  CHECK(IsLike("Using network Socket", "using NETWORK socket%"));
  CHECK(IsLike("NET/Plugin : No plugin found (libnccl-net.so)", "NET/Plugin%No plugin found%"));
  CHECK(IsLike("abcabd", "%abd"));
  CHECK(IsLike("", "%"));
  CHECK(IsLike("", ""));
  CHECK(IsLike("h\xC3\xA9", "h_"));
  CHECK_FALSE(IsLike("h\xC3\xA9", "h__"));
  CHECK_FALSE(IsLike("Connected all rings", "Using%"));
  CHECK_FALSE(IsLike("abc", "abc_"));
  CHECK_FALSE(IsLike("abc", ""));
  CHECK_FALSE(IsLike("abcd", "abc"));
}

TEST_CASE("on random texts and patterns LIKE is SQLite's own") {
  sqlite3* db = nullptr;
  REQUIRE(sqlite3_open(":memory:", &db) == SQLITE_OK);
  sqlite3_stmt* ask = nullptr;
  REQUIRE(sqlite3_prepare_v2(db, "SELECT ?1 LIKE ?2", -1, &ask, nullptr) == SQLITE_OK);
  std::mt19937 random(5);
  const auto text = [&](std::initializer_list<const char*> pieces) {
    std::string out;
    for (size_t n = random() % 9; n > 0; --n) out += *(pieces.begin() + random() % pieces.size());
    return out;
  };
  size_t like = 0;
  for (int round = 0; round < 50'000; ++round) {
    const std::string value = text({"a", "A", "b", "\xC3\xA9", "\xC3\x89", "\xE4\xB8\xAD", "%", "[", "{"});
    const std::string pattern = text({"a", "B", "_", "%", "%", "\xC3\xA9", "\xE4\xB8\xAD", "{"});
    sqlite3_bind_text(ask, 1, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
    sqlite3_bind_text(ask, 2, pattern.data(), static_cast<int>(pattern.size()), SQLITE_STATIC);
    REQUIRE(sqlite3_step(ask) == SQLITE_ROW);
    const bool theirs = sqlite3_column_int(ask, 0) != 0;
    sqlite3_reset(ask);
    INFO(value << " LIKE " << pattern);
    REQUIRE(IsLike(value, pattern) == theirs);
    like += theirs ? 1 : 0;
  }
  CHECK(like > 1000);
  sqlite3_finalize(ask);
  sqlite3_close(db);
}

}  // namespace
}  // namespace ncclwhy

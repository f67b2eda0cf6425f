#include "store/like.h"

namespace ncclwhy {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The end of the character that begins at `at`.
// Bytes that are no UTF-8 count as a character each; timelines have none.
size_t BehindCharacter(std::string_view text, size_t at) {
  if (static_cast<unsigned char>(text[at++]) < 0xC0) return at;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
  return at;
}

// The bytes up to a NUL, where SQLite's functions stop too. Text that is a value already is not copied.
std::string_view TextOf(sqlite3_value* value) {
  const bool text = sqlite3_value_type(value) == SQLITE_TEXT;
  const auto* bytes = static_cast<const char*>(text ? sqlite3_value_blob(value) : sqlite3_value_text(value));
  const std::string_view all(bytes == nullptr ? "" : bytes, static_cast<size_t>(sqlite3_value_bytes(value)));
  return all.substr(0, all.find('\0'));
}

// values[0] is the pattern: `x LIKE y` calls like(y, x). NULL on either side is NULL.
void Like(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL || sqlite3_value_type(values[1]) == SQLITE_NULL) return;
  sqlite3* const db = sqlite3_context_db_handle(context);
  if (sqlite3_value_bytes(values[0]) > sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, -1)) {
    sqlite3_result_error(context, "LIKE or GLOB pattern too complex", -1);
    return;
  }
  sqlite3_result_int(context, IsLike(TextOf(values[1]), TextOf(values[0])) ? 1 : 0);
}

}  // namespace

bool IsLike(std::string_view text, std::string_view pattern) {
  constexpr size_t kNone = std::string_view::npos;
  size_t star = kNone;  // behind the last %
  size_t from = 0;      // where its text is tried to end
  size_t p = 0;
  for (size_t t = 0; t < text.size();) {
    if (p < pattern.size() && pattern[p] == '%') {
      star = ++p;
      from = t;
      if (star == pattern.size()) return true;
    } else if (p < pattern.size() && pattern[p] == '_') {
      ++p;
      t = BehindCharacter(text, t);
    } else if (p < pattern.size() && Lower(pattern[p]) == Lower(text[t])) {
      ++p;
      ++t;
    } else if (star != kNone) {
      // Only the latest % is tried again: what an earlier one took, this one can take as well.
      from = BehindCharacter(text, from);
      t = from;
      p = star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('%', p) == kNone;
}

Status UseLike(Database& database) {
  const int code =
      sqlite3_create_function(database.handle(), "like", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                              nullptr, Like, nullptr, nullptr);
  return code == SQLITE_OK ? Status::Ok() : database.Error(code, "it was opened");
}

}  // namespace ncclwhy

#include "store/text_functions.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace ncclwhy {
namespace {

// Of UTF-8: SQLite counts characters.
bool Continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// A view of SQLite's own memory, good until another function converts the value. NUL bytes are part of the text.
std::string_view WholeText(sqlite3_value* value) {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(value));
  return {bytes == nullptr ? "" : bytes, bytes == nullptr ? 0 : static_cast<size_t>(sqlite3_value_bytes(value))};
}

std::string_view BlobOf(sqlite3_value* value) {
  const auto* bytes = static_cast<const char*>(sqlite3_value_blob(value));
  return {bytes == nullptr ? "" : bytes, bytes == nullptr ? 0 : static_cast<size_t>(sqlite3_value_bytes(value))};
}

// Knuth, Morris and Pratt: no place is looked at twice.
class Finder {
 public:
  explicit Finder(std::string_view needle) : needle_(needle), back_(needle.size() + 1) {
    // back_[n]: how many of the first n bytes are the needle's beginning again, when the next one does not fit.
    for (size_t i = 1, k = 0; i < needle.size(); ++i) {
      while (k > 0 && needle[i] != needle[k]) k = back_[k];
      back_[i + 1] = static_cast<uint32_t>(k += needle[i] == needle[k] ? 1 : 0);
    }
  }

  // Where the needle, which is not empty, next begins from `from` on, or npos.
  // `k`: how many bytes of the needle the text in front of `i` ends with.
  size_t In(std::string_view text, size_t from) const {
    for (size_t i = from, k = 0; i < text.size(); ++i) {
      if (k == 0) {  // a first letter, quickly
        i = text.find(needle_[0], i);
        if (i == std::string_view::npos) break;
      }
      while (k > 0 && text[i] != needle_[k]) k = back_[k];
      k += text[i] == needle_[k] ? 1 : 0;
      if (k == needle_.size()) return i + 1 - k;
    }
    return std::string_view::npos;
  }

 private:
  std::string_view needle_;
  std::vector<uint32_t> back_;
};

bool AnyNull(int count, sqlite3_value** values) {
  return std::any_of(values, values + count, [](sqlite3_value* v) { return sqlite3_value_type(v) == SQLITE_NULL; });
}

// instr(text, needle): counted from 1 in characters, of blobs in bytes; 0 when it is not there. SQLite's own takes as
// long as the product of both sizes, which a query over logs can make minutes.
void Instr(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  // Both, as SQLite has it: a blob and a text are compared as texts.
  const bool blobs = sqlite3_value_type(values[0]) == SQLITE_BLOB && sqlite3_value_type(values[1]) == SQLITE_BLOB;
  const std::string_view text = blobs ? BlobOf(values[0]) : WholeText(values[0]);
  const std::string_view needle = blobs ? BlobOf(values[1]) : WholeText(values[1]);
  const size_t at = needle.empty() ? 0 : Finder(needle).In(text, 0);
  if (at == std::string_view::npos) return sqlite3_result_int(context, 0);
  const auto before = text.substr(0, at);
  const auto characters = std::count_if(before.begin(), before.end(), [&](char c) { return blobs || !Continues(c); });
  sqlite3_result_int64(context, characters + 1);
}

// An empty needle changes nothing. The result is bounded while it grows, and not by what it would have been.
void Replace(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  const std::string_view text = WholeText(values[0]), needle = WholeText(values[1]), with = WholeText(values[2]);
  if (needle.empty()) return sqlite3_result_value(context, values[0]);
  const auto most = static_cast<size_t>(sqlite3_limit(sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1));
  const Finder finder(needle);
  std::string out;
  size_t from = 0;
  for (size_t at; (at = finder.In(text, from)) != std::string_view::npos; from = at + needle.size()) {
    out.append(text.substr(from, at - from)).append(with);
    if (out.size() > most) return sqlite3_result_error_toobig(context);
  }
  out.append(text.substr(from));
  if (out.size() > most) return sqlite3_result_error_toobig(context);
  sqlite3_result_text64(context, out.data(), out.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

constexpr int kLeft = 1, kRight = 2;
// SQLite hands over a pointer: these are what it points at.
constexpr int kSides[] = {0, kLeft, kRight, kLeft | kRight};

// The user data says which sides.
void Trim(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  const int sides = *static_cast<const int*>(sqlite3_user_data(context));
  std::string_view text = WholeText(values[0]);
  const std::string_view set = count > 1 ? WholeText(values[1]) : " ";
  // A set, since SQLite's own tries every character of it at every place.
  std::unordered_set<std::string_view> characters;
  for (size_t at = 0; at < set.size();) {
    size_t end = at + 1;
    while (end < set.size() && Continues(set[end])) ++end;
    characters.insert(set.substr(at, end - at));
    at = end;
  }
  while ((sides & kLeft) != 0 && !text.empty()) {
    size_t end = 1;
    while (end < text.size() && Continues(text[end])) ++end;
    if (!characters.contains(text.substr(0, end))) break;
    text.remove_prefix(end);
  }
  while ((sides & kRight) != 0 && !text.empty()) {
    size_t begin = text.size() - 1;
    while (begin > 0 && Continues(text[begin])) --begin;
    if (!characters.contains(text.substr(begin))) break;
    text.remove_suffix(text.size() - begin);
  }
  sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

// Nothing is thrown into SQLite.
template <void (*kFunction)(sqlite3_context*, int, sqlite3_value**)>
void Guarded(sqlite3_context* context, int count, sqlite3_value** values) {
  try {
    kFunction(context, count, values);
  } catch (...) {
    sqlite3_result_error_nomem(context);
  }
}

}  // namespace

Status UseTextFunctions(Database& database) {
  struct Function {
    const char* name;
    int arguments;
    void (*call)(sqlite3_context*, int, sqlite3_value**);
    int sides;
  };
  constexpr Function kFunctions[] = {{"instr", 2, Guarded<Instr>, 0},
                                     {"replace", 3, Guarded<Replace>, 0},
                                     {"ltrim", 1, Guarded<Trim>, kLeft},
                                     {"ltrim", 2, Guarded<Trim>, kLeft},
                                     {"rtrim", 1, Guarded<Trim>, kRight},
                                     {"rtrim", 2, Guarded<Trim>, kRight},
                                     {"trim", 1, Guarded<Trim>, kLeft | kRight},
                                     {"trim", 2, Guarded<Trim>, kLeft | kRight}};
  for (const Function& f : kFunctions) {
    const int code = sqlite3_create_function(database.handle(), f.name, f.arguments,
                                             SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
                                             const_cast<int*>(&kSides[f.sides]), f.call, nullptr, nullptr);
    if (code != SQLITE_OK) return database.Error(code, "it was opened");
  }
  return {};
}

}  // namespace ncclwhy

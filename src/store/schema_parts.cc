#include "store/schema_parts.h"

#include <algorithm>

#include "base/text.h"
#include "store/sql_text.h"

namespace ncclwhy {
namespace {

char LowerLetter(char c) { return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

bool HasWord(std::string_view lower_text, std::string_view word) {
  for (size_t at = lower_text.find(word); at != std::string_view::npos; at = lower_text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !IsWordChar(lower_text[at - 1])) && (end == lower_text.size() || !IsWordChar(lower_text[end]))) {
      return true;
    }
  }
  return false;
}

// `CREATE TABLE _source (` → _source
std::string NameOf(std::string_view statement) {
  size_t at = 0;
  for (int word = 0; word < 2; ++word) at = statement.find(' ', at) + 1;
  size_t end = at;
  while (end < statement.size() && IsWordChar(statement[end])) ++end;
  return std::string(statement.substr(at, end - at));
}

// Statements end with a semicolon at the end of a line; comments have lines of their own.
// The file is ours: nothing is parsed beyond that, and a test makes the whole of it.
void AddParts(std::string_view text, std::vector<SchemaPart>* parts) {
  std::string statement;
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    const std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    if (line.empty() || line.substr(0, 2) == "--") continue;
    statement.append(line).push_back('\n');
    if (line.back() != ';') continue;
    parts->push_back({NameOf(statement), statement});
    statement.clear();
  }
}

}  // namespace

const std::vector<SchemaPart>& SchemaParts() {
  static const std::vector<SchemaPart> kParts = [] {
    std::vector<SchemaPart> parts;
    AddParts(kSchemaSql, &parts);
    return parts;
  }();
  return kParts;
}

bool IsPublicView(std::string_view name) {
  const std::vector<SchemaPart>& parts = SchemaParts();
  return !name.starts_with('_') &&
         std::any_of(parts.begin(), parts.end(), [&](const SchemaPart& part) { return part.name == name; });
}

std::vector<bool> PartsFor(std::string_view sql) {
  std::string lower(sql);
  for (char& c : lower) c = LowerLetter(c);
  const std::vector<SchemaPart>& parts = SchemaParts();
  std::vector<bool> wanted(parts.size());
  // Backwards: a view names what stands before it.
  // One pass is enough, as no part names a later one.
  for (size_t i = parts.size(); i-- > 0;) {
    wanted[i] = HasWord(lower, parts[i].name);
    for (size_t k = i + 1; k < parts.size() && !wanted[i]; ++k) {
      wanted[i] = wanted[k] && HasWord(parts[k].sql, parts[i].name);
    }
  }
  return wanted;
}

}  // namespace ncclwhy

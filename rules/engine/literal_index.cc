#include "rules/engine/literal_index.h"

#include <algorithm>

namespace ncclwhy {

void LiteralIndexBuilder::Add(std::string_view literal, uint32_t pattern) {
  if (literal.empty() || literal.find('\0') != std::string_view::npos) return;
  std::vector<uint32_t>& patterns = literals_[std::string(literal)];
  // A rule may give a literal twice.
  const auto at = std::lower_bound(patterns.begin(), patterns.end(), pattern);
  if (at == patterns.end() || *at != pattern) patterns.insert(at, pattern);
}

LiteralTablesStorage LiteralIndexBuilder::Build() const {
  LiteralTablesStorage tables;
  GramIndexBuilder grams;
  const auto add_row = [&](size_t size) {
    tables.rows.push_back({static_cast<uint32_t>(tables.bytes.size()), static_cast<uint32_t>(size),
                           static_cast<uint32_t>(tables.patterns.size())});
  };
  for (const auto& [literal, patterns] : literals_) {
    const auto number = static_cast<uint32_t>(tables.rows.size());
    add_row(literal.size());
    tables.bytes += literal;
    tables.patterns.insert(tables.patterns.end(), patterns.begin(), patterns.end());
    const std::string_view piece = literal;
    // Shorter than GramIndex::kLeast: it has to be searched for in each line, and lint warns of it.
    if (!grams.Add(number, {&piece, 1})) tables.shortest.push_back(number);
  }
  // The end of the last one.
  add_row(0);
  tables.grams = grams.Build();
  return tables;
}

}  // namespace ncclwhy

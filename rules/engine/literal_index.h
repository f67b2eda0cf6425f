// LiteralIndex: finds which of many literals occur in a line, case-sensitive.
//
// The tables are flat arrays of plain numbers, so they can be constexpr data made at build time (rules/engine/
// embed_rules.cc) or come from LiteralIndexBuilder at run time. Where a literal may stand is told by its grams
// (base/gram_index.h), then it is compared.
//
// Thread safety: a LiteralIndex is an immutable view; the tables must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/find_text.h"
#include "base/gram_index.h"

namespace ncclwhy {

// One literal. Literals are sorted, so tables do not depend on the order of rules.
struct LiteralRow {
  uint32_t begin = 0;  // of the literal in LiteralTables::bytes
  uint32_t size = 0;
  uint32_t patterns = 0;  // its pattern numbers: patterns[patterns .. next row's)
};

struct LiteralTables {
  std::string_view bytes;              // all literals, one behind the other
  std::span<const LiteralRow> rows;    // and one more: the end
  std::span<const uint32_t> patterns;  // by literal
  std::span<const uint32_t> shortest;  // literals that have no grams
  GramTable longs, shorts;             // of the others

  // Calls visit(literal, its pattern numbers) for each, in the order of their texts.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (size_t i = 0; i + 1 < rows.size(); ++i) {
      const uint32_t begin = rows[i].patterns;
      visit(bytes.substr(rows[i].begin, rows[i].size), patterns.subspan(begin, rows[i + 1].patterns - begin));
    }
  }
};

class LiteralIndex {
 public:
  LiteralIndex() = default;
  explicit LiteralIndex(const LiteralTables& tables) : tables_(tables), grams_(tables.longs, tables.shorts) {}

  // Calls report(pattern) for every pattern with a literal in `text`; a pattern may be reported several times, in no
  // particular order. What a line costs does not grow with the literals, but for those below four bytes, which are
  // searched one by one.
  //    "… NCCL WARN NET/IB: Got completion from peer 10.0.0.7<41243> with status=12"
  //    → the patterns with "Got completion", with "status=", with "NET/IB" …
  template <typename Report>
  void Scan(std::string_view text, Report&& report) const {
    grams_.ForEach(text, [&](const GramEntry& entry, size_t at) {
      if (at < entry.offset) return;
      const std::string_view literal = Literal(entry.text);
      const size_t begin = at - entry.offset;
      if (text.size() - begin < literal.size()) return;
      if (std::memcmp(text.data() + begin, literal.data(), literal.size()) == 0) Tell(entry.text, report);
    });
    for (const uint32_t number : tables_.shortest) {
      if (HoldsText(text, Literal(number))) Tell(number, report);
    }
  }

 private:
  // A view of the tables.
  std::string_view Literal(uint32_t number) const {
    return tables_.bytes.substr(tables_.rows[number].begin, tables_.rows[number].size);
  }
  template <typename Report>
  void Tell(uint32_t number, Report& report) const {
    const uint32_t end = tables_.rows[number + 1].patterns;
    for (uint32_t i = tables_.rows[number].patterns; i < end; ++i) report(tables_.patterns[i]);
  }

  LiteralTables tables_;
  GramIndex grams_;
};

// Owns the tables that a builder made.
struct LiteralTablesStorage {
  std::string bytes;
  std::vector<LiteralRow> rows;
  std::vector<uint32_t> patterns;
  std::vector<uint32_t> shortest;
  GramIndexStorage grams;
  LiteralTables View() const { return {bytes, rows, patterns, shortest, grams.longs.View(), grams.shorts.View()}; }
};

// For the build step, and for rules that are loaded at run time. One thread.
class LiteralIndexBuilder {
 public:
  // An empty literal or one with a NUL byte is ignored.
  void Add(std::string_view literal, uint32_t pattern);
  // Numbers of literals are those of the sorted list.
  LiteralTablesStorage Build() const;

 private:
  std::map<std::string, std::vector<uint32_t>, std::less<>>
      literals_;  // sorted: the tables do not depend on call order
};

}  // namespace ncclwhy

// PatternTable: what matching has to know of each line pattern of a rule set, by its number (pattern_numbers.h). Rules
// are read, and patterns compiled, when a line first needs one.
//
// Thread safety: immutable but for what is made when first needed: threads that need it at the same time each make it,
// and the first is kept.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/pair_index.h"
#include "base/re2_text.h"
#include "rules/engine/literal_index.h"
#include "rules/engine/numbers_alike.h"
#include "rules/engine/pattern_numbers.h"
#include "rules/engine/regex_texts.h"
#include "rules/engine/rule_list.h"

namespace ncclwhy {

// Everything that matching has to know of a pattern. Pointers into the rules.
struct PatternEntry {
  const LinePattern* pattern = nullptr;
  const Condition* condition = nullptr;  // null for the rule's own patterns
  uint32_t rule = 0;
  uint32_t most = 0;  // hits that are kept of a process
  const Rule* of = nullptr;
  std::span<const uint32_t> conditions;  // on the same line, of the rule

  // Its number is asked behind the patterns of its rule.
  bool of_line() const { return IsOfLine(*of, condition); }
  bool every_place() const { return NeedsEveryPlace(condition); }
};

// A regex and its named groups by number.
// Immutable; RE2 may be asked by several threads at once.
struct CompiledPattern {
  std::unique_ptr<RE2> regex;  // null when it did not compile (lint refuses such rules)
  std::vector<std::pair<int, std::string>> groups;
  int group_count = 0;
};

class PatternTable {
 public:
  // `rules` is borrowed. Reads them all, and sorts their literals; compiles nothing.
  explicit PatternTable(const RuleList& rules);
  // The same of rules of which the build did that: nothing is read.
  PatternTable(const RuleList& rules, const PatternNumbers& numbers, const LiteralTables& literals);
  ~PatternTable();
  PatternTable(const PatternTable&) = delete;
  PatternTable& operator=(const PatternTable&) = delete;

  // Of patterns.
  size_t size() const { return numbers_.size(); }
  const PatternNumbers& numbers() const { return numbers_; }
  // What is looked for in lines: the literals of all patterns but conditions on the same line, under the numbers that
  // they are asked as.
  const LiteralTables& literals() const { return literals_; }
  // Reads its rule when first asked for. The reference stays valid as long as the table.
  const PatternEntry& entry(uint32_t number) const { return Of(number).entry; }
  // Compiles it when a line first needs it, within limits::kPatternMemory. The reference stays valid as long as the
  // table.
  // Throws std::bad_alloc where there is no room for RE2 (base/re2_call.h).
  const CompiledPattern& Compiled(uint32_t number) const;
  // Of its LooseRegex: what that does not match, the regex does not; null where there is none.
  const CompiledPattern& Loose(uint32_t number) const;
  // By which a line is told to match, or not to, without the regex.
  const RegexTexts& Texts(uint32_t number) const;
  NumbersAlike Alike(uint32_t number) const;  // of its regex
  // Of all its literals together: what holds for each.
  struct LiteralsAlike {
    NumbersAlike alike = NumbersAlike::kAll;
    bool digits = false;  // one has some
  };
  const LiteralsAlike& Literals(uint32_t number) const;
  // The literals of which the digits of a line decide whether they are in it, and those of which its numbers do where
  // it has a shape (rules/engine/numbers_alike.h); with what is in the masked line, or in the shape, of a line that has
  // them.
  struct Numbered {
    std::string text;
    NumbersAlike alike = NumbersAlike::kNo;  // of those for shapes
    uint32_t pattern = 0;
  };
  struct NumberedLiterals {
    std::vector<Numbered> all;
    PairIndex by_text;
  };
  const NumberedLiterals& MaskedLiterals() const;
  const NumberedLiterals& LiteralsForShapes() const;
  // The literals by their first bytes, for lines that were cut off within one. Less of one is in many lines.
  static constexpr size_t kBeginning = 10;
  struct Beginnings {
    std::unordered_map<std::string_view, std::vector<std::pair<std::string_view, uint32_t>>> of;  // literal, pattern
    size_t longest = 0;                                                                           // literal
  };
  // Made when the first clipped line comes.
  const Beginnings& LiteralBeginnings() const;

 private:
  // What was made of a pattern so far.
  struct Made {
    PatternEntry entry;
    mutable std::atomic<const CompiledPattern*> compiled = nullptr;
    mutable std::atomic<const CompiledPattern*> loose = nullptr;
    mutable std::atomic<const RegexTexts*> texts = nullptr;
    mutable std::atomic<const NumbersAlike*> alike = nullptr;
    mutable std::atomic<const LiteralsAlike*> literals = nullptr;
    Made() = default;
    ~Made();
    Made(const Made&) = delete;
    Made& operator=(const Made&) = delete;
  };
  // Asked for each candidate of each line: nearly always it is there.
  const Made& Of(uint32_t number) const {
    const Made* const there = made_[number].load(std::memory_order_acquire);
    return there != nullptr ? *there : Make(number);
  }
  const Made& Make(uint32_t number) const;

  const RuleList& rules_;
  PatternNumbersStorage own_numbers_;  // of rules that are no part of the program
  LiteralTablesStorage own_literals_;
  PatternNumbers numbers_;
  LiteralTables literals_;
  std::unique_ptr<std::atomic<const Made*>[]> made_;  // by number; null: not needed yet
  mutable std::atomic<const NumberedLiterals*> masked_ = nullptr;
  mutable std::atomic<const NumberedLiterals*> for_shapes_ = nullptr;
  mutable std::atomic<const Beginnings*> beginnings_ = nullptr;
};

}  // namespace ncclwhy

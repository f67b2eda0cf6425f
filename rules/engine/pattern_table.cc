#include "rules/engine/pattern_table.h"

#include <algorithm>

#include "base/hash.h"
#include "base/limits.h"
#include "base/mask_digits.h"
#include "base/re2_call.h"
#include "rules/engine/numbers_alike.h"
#include "rules/engine/pattern_regex.h"

namespace ncclwhy {
namespace {

// No std::call_once: an exception that leaves it, because there is no memory, needs memory and else ends the process.
// Two threads may both make it: one of the two is kept, and the other goes. What is kept never changes, so that no lock
// is needed to read it.
template <typename T, typename Make>
const T& MadeOnce(std::atomic<const T*>& slot, const Make& make) {
  if (const T* there = slot.load(std::memory_order_acquire)) return *there;
  std::unique_ptr<const T> made = make();
  const T* expected = nullptr;
  if (!slot.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) return *expected;
  return *made.release();
}

// Beside limits::kHitsPerPatternAndProcess: where a line says that it waits, all ranks may write into one stream, and
// so many of them can be told apart; where it says how far the job came, the latest counts.
constexpr uint32_t kTellingHitsPerPattern = 1024;

}  // namespace

// The patterns and conditions of a rule get numbers that follow each other. Nothing is compiled here: of a thousand
// patterns a log asks a few.
PatternTable::PatternTable(const std::vector<Rule>& rules) {
  first_.reserve(rules.size());
  of_line_from_.reserve(rules.size() + 1);
  size_t all = 0;
  for (const Rule& rule : rules) {
    all += rule.patterns.size() + rule.near.size() + rule.unless.size() + rule.boost.size();
  }
  entries_.reserve(all);
  for (uint32_t i = 0; i < rules.size(); ++i) {
    first_.push_back(static_cast<uint32_t>(entries_.size()));
    of_line_from_.push_back(static_cast<uint32_t>(of_line_.size()));
    const Life life = rules[i].sign.life;
    const bool waits = life == Life::kWaiting && rules[i].sign.of != SignOf::kJob;
    //    [Rank 17] Watchdog caught collective operation timeout …     of 512 ranks, in one file without headers
    const bool many = waits || life == Life::kSaved || life == Life::kProgress;
    VisitPatterns(rules[i], [&](const LinePattern& pattern, const Condition* condition) {
      const bool keep = many && condition == nullptr;
      entries_.push_back(
          {&pattern, condition, i, keep ? kTellingHitsPerPattern : limits::kHitsPerPatternAndProcess, &rules[i]});
      if (entries_.back().of_line()) of_line_.push_back(static_cast<uint32_t>(entries_.size() - 1));
    });
  }
  of_line_from_.push_back(static_cast<uint32_t>(of_line_.size()));
  JoinEqualConditions();
  compiled_ = std::make_unique<std::atomic<const CompiledPattern*>[]>(entries_.size());
  texts_ = std::make_unique<std::atomic<const RegexTexts*>[]>(entries_.size());
  alike_ = std::make_unique<std::atomic<const NumbersAlike*>[]>(entries_.size());
  named_ = std::make_unique<std::atomic<const Named*>[]>(entries_.size());
}

// Only those of which as much is kept: all places, or the first few hits.
void PatternTable::JoinEqualConditions() {
  std::unordered_multimap<uint64_t, uint32_t> first_of;
  asked_as_.reserve(entries_.size());
  for (uint32_t number = 0; number < entries_.size(); ++number) {
    asked_as_.push_back(number);
    const PatternEntry& entry = entries_[number];
    // A rule's own pattern is its own: its hits are the rule's findings.
    if (entry.condition == nullptr || entry.of_line()) continue;
    // The hash finds candidates; equality is asked of the whole pattern.
    uint64_t hash = HashBytes(entry.pattern->regex, entry.every_place() ? 1 : 0);
    for (const std::string_view literal : entry.pattern->literals) hash = HashBytes(literal, hash);
    const auto [begin, end] = first_of.equal_range(hash);
    const auto same = std::find_if(begin, end, [&](const auto& known) {
      const PatternEntry& first = entries_[known.second];
      return first.every_place() == entry.every_place() && *first.pattern == *entry.pattern;
    });
    if (same == end) {
      first_of.emplace(hash, number);
    } else {
      asked_as_.back() = same->second;
    }
  }
}

PatternTable::~PatternTable() {
  for (size_t i = 0; i < entries_.size(); ++i) {
    // MadeOnce released them.
    delete compiled_[i].load();
    delete texts_[i].load();
    delete alike_[i].load();
    delete named_[i].load();
  }
  delete masked_.load();
  delete for_shapes_.load();
  delete beginnings_.load();
}

const CompiledPattern& PatternTable::Compiled(uint32_t number) const {
  // A regex that RE2 refuses is kept as null: lint complains of it, a log must not.
  return MadeOnce(compiled_[number], [&] {
    auto made = std::make_unique<CompiledPattern>();
    const std::string_view text = entries_[number].pattern->regex;
    auto regex = InRe2([&] { return std::make_unique<RE2>(ToRe2(text), RulePatternOptions()); });
    if (regex->ok()) {
      made->group_count = regex->NumberOfCapturingGroups();
      const auto* names = InRe2([&] { return &regex->CapturingGroupNames(); });
      made->groups.assign(names->begin(), names->end());
      made->regex = std::move(regex);
    }
    return made;
  });
}

const RegexTexts& PatternTable::Texts(uint32_t number) const {
  return MadeOnce(texts_[number], [&] {
    const LinePattern& pattern = *entries_[number].pattern;
    return std::make_unique<RegexTexts>(TextsOfRegex(pattern.regex, pattern.literals));
  });
}

NumbersAlike PatternTable::Alike(uint32_t number) const {
  return MadeOnce(alike_[number],
                  [&] { return std::make_unique<NumbersAlike>(NumbersAlikeOf(entries_[number].pattern->regex)); });
}

const PatternTable::Named& PatternTable::NumbersNamed(uint32_t number) const {
  return MadeOnce(named_[number],
                  [&] { return std::make_unique<Named>(NumbersNamedBy(entries_[number].pattern->regex)); });
}

// Those that are looked for in lines.
template <typename Visit>
void PatternTable::ForEachLiteral(const Visit& visit) const {
  for (uint32_t number = 0; number < entries_.size(); ++number) {
    if (entries_[number].of_line() || asked_as_[number] != number) continue;
    for (const std::string_view literal : entries_[number].pattern->literals) visit(literal, number);
  }
}

namespace {

std::unique_ptr<PatternTable::NumberedLiterals> Indexed(std::vector<PatternTable::Numbered> all) {
  std::vector<std::string_view> texts;
  for (const PatternTable::Numbered& numbered : all) texts.push_back(numbered.text);
  PairIndex by_text(texts);
  return std::make_unique<PatternTable::NumberedLiterals>(
      PatternTable::NumberedLiterals{std::move(all), std::move(by_text)});
}

}  // namespace

const PatternTable::NumberedLiterals& PatternTable::MaskedLiterals() const {
  return MadeOnce(masked_, [&] {
    std::vector<Numbered> all;
    std::string room;
    ForEachLiteral([&](std::string_view literal, uint32_t number) {
      if (!HasDigit(literal)) return;
      all.push_back({std::string(MaskDigits(literal, &room)), NumbersAlike::kNo, number});
    });
    return Indexed(std::move(all));
  });
}

const PatternTable::NumberedLiterals& PatternTable::LiteralsForShapes() const {
  return MadeOnce(for_shapes_, [&] {
    std::vector<Numbered> all;
    ForEachLiteral([&](std::string_view literal, uint32_t number) {
      const NumbersAlike alike = LiteralAlike(literal);
      // Such a literal stands in all texts of a shape or in none, and is found in the shape itself.
      if (alike == NumbersAlike::kAll && !HasDigit(literal)) return;
      all.push_back({std::string(PieceWithoutNumber(literal)), alike, number});
    });
    return Indexed(std::move(all));
  });
}

const PatternTable::Beginnings& PatternTable::LiteralBeginnings() const {
  return MadeOnce(beginnings_, [&] {
    auto made = std::make_unique<Beginnings>();
    for (uint32_t number = 0; number < entries_.size(); ++number) {
      for (const std::string_view literal : entries_[number].pattern->literals) {
        if (literal.size() <= kBeginning) continue;
        made->of[literal.substr(0, kBeginning)].emplace_back(literal, number);
        made->longest = std::max(made->longest, literal.size());
      }
    }
    return made;
  });
}

LiteralTablesStorage PatternTable::BuildLiterals() const {
  LiteralIndexBuilder builder;
  ForEachLiteral([&](std::string_view literal, uint32_t number) { builder.Add(literal, number); });
  return builder.Build();
}

}  // namespace ncclwhy

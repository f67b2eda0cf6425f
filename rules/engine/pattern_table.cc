#include "rules/engine/pattern_table.h"

#include <algorithm>

#include "base/limits.h"
#include "base/made_once.h"
#include "base/mask_digits.h"
#include "base/re2_call.h"
#include "rules/engine/loose_regex.h"
#include "rules/engine/numbers_alike.h"
#include "rules/engine/pattern_regex.h"

namespace ncclwhy {
namespace {

// Beside limits::kHitsPerPatternAndProcess: where a line says that it waits, all ranks may write into one stream, and
// so many of them can be told apart; where it says how far the job came, the latest counts.
constexpr uint32_t kTellingHitsPerPattern = 1024;

// Of the patterns of a rule, not of its conditions.
uint32_t MostHits(const Rule& rule) {
  const Life life = rule.sign.life;
  //    [Rank 17] Watchdog caught collective operation timeout …     of 512 ranks, in one file without headers
  const bool waits = life == Life::kWaiting && rule.sign.of != SignOf::kJob;
  const bool many = waits || life == Life::kSaved || life == Life::kProgress;
  return many ? kTellingHitsPerPattern : limits::kHitsPerPatternAndProcess;
}

LiteralTablesStorage LiteralsOf(const RuleList& rules, const PatternNumbers& numbers) {
  LiteralIndexBuilder builder;
  uint32_t number = 0;
  for (const Rule& rule : rules) {
    VisitPatterns(rule, [&](const LinePattern& pattern, const Condition* condition) {
      if (!IsOfLine(rule, condition) && numbers.AskedAs(number) == number) {
        for (const std::string_view literal : pattern.literals) builder.Add(literal, number);
      }
      ++number;
    });
  }
  return builder.Build();
}

}  // namespace

PatternTable::PatternTable(const RuleList& rules)
    : rules_(rules),
      own_numbers_(PatternNumbersStorage::Of(rules)),
      own_literals_(LiteralsOf(rules, own_numbers_.View())),
      numbers_(own_numbers_.View()),
      literals_(own_literals_.View()),
      made_(std::make_unique<std::atomic<const Made*>[]>(numbers_.size())) {}

PatternTable::PatternTable(const RuleList& rules, const PatternNumbers& numbers, const LiteralTables& literals)
    : rules_(rules),
      numbers_(numbers),
      literals_(literals),
      made_(std::make_unique<std::atomic<const Made*>[]>(numbers_.size())) {}

// MadeOnce released them.
PatternTable::Made::~Made() {
  delete compiled.load();
  delete loose.load();
  delete texts.load();
  delete alike.load();
  delete literals.load();
}

PatternTable::~PatternTable() {
  for (size_t i = 0; i < size(); ++i) delete made_[i].load();
  delete masked_.load();
  delete for_shapes_.load();
  delete beginnings_.load();
}

const PatternTable::Made& PatternTable::Make(uint32_t number) const {
  return MadeOnce(made_[number], [&] {
    const uint32_t rule_number = numbers_.RuleOf(number);
    const Rule& rule = rules_[rule_number];
    auto made = std::make_unique<Made>();
    uint32_t at = numbers_.first[rule_number];
    VisitPatterns(rule, [&](const LinePattern& pattern, const Condition* condition) {
      if (at++ != number) return;
      const uint32_t most = condition == nullptr ? MostHits(rule) : limits::kHitsPerPatternAndProcess;
      made->entry = {&pattern, condition, rule_number, most, &rule, numbers_.OfLine(rule_number)};
    });
    return made;
  });
}

const CompiledPattern& PatternTable::Compiled(uint32_t number) const {
  // A regex that RE2 refuses is kept as null: lint complains of it, a log must not.
  const Made& of = Of(number);
  return MadeOnce(of.compiled, [&] {
    auto made = std::make_unique<CompiledPattern>();
    const std::string_view text = of.entry.pattern->regex;
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

const CompiledPattern& PatternTable::Loose(uint32_t number) const {
  const Made& of = Of(number);
  return MadeOnce(of.loose, [&] {
    auto made = std::make_unique<CompiledPattern>();
    const std::string text = LooseRegex(of.entry.pattern->regex);
    if (text.empty()) return made;
    auto regex = InRe2([&] { return std::make_unique<RE2>(text, RulePatternOptions()); });
    if (regex->ok()) made->regex = std::move(regex);
    return made;
  });
}

const RegexTexts& PatternTable::Texts(uint32_t number) const {
  const Made& of = Of(number);
  return MadeOnce(of.texts, [&] {
    const LinePattern& pattern = *of.entry.pattern;
    return std::make_unique<RegexTexts>(TextsOfRegex(pattern.regex, pattern.literals));
  });
}

NumbersAlike PatternTable::Alike(uint32_t number) const {
  const Made& of = Of(number);
  return MadeOnce(of.alike, [&] { return std::make_unique<NumbersAlike>(NumbersAlikeOf(of.entry.pattern->regex)); });
}

const PatternTable::LiteralsAlike& PatternTable::Literals(uint32_t number) const {
  const Made& of = Of(number);
  return MadeOnce(of.literals, [&] {
    auto made = std::make_unique<LiteralsAlike>();
    for (const std::string_view literal : of.entry.pattern->literals) {
      made->alike = std::min(made->alike, LiteralAlike(literal));
      made->digits = made->digits || HasDigit(literal);
    }
    return made;
  });
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
    literals_.ForEach([&](std::string_view literal, std::span<const uint32_t> patterns) {
      if (!HasDigit(literal)) return;
      const std::string_view masked = MaskDigits(literal, &room);
      for (const uint32_t number : patterns) all.push_back({std::string(masked), NumbersAlike::kNo, number});
    });
    return Indexed(std::move(all));
  });
}

const PatternTable::NumberedLiterals& PatternTable::LiteralsForShapes() const {
  return MadeOnce(for_shapes_, [&] {
    std::vector<Numbered> all;
    literals_.ForEach([&](std::string_view literal, std::span<const uint32_t> patterns) {
      const NumbersAlike alike = LiteralAlike(literal);
      // Such a literal stands in all texts of a shape or in none, and is found in the shape itself.
      if (alike == NumbersAlike::kAll && !HasDigit(literal)) return;
      const std::string_view piece = PieceWithoutNumber(literal);
      for (const uint32_t number : patterns) all.push_back({std::string(piece), alike, number});
    });
    return Indexed(std::move(all));
  });
}

const PatternTable::Beginnings& PatternTable::LiteralBeginnings() const {
  return MadeOnce(beginnings_, [&] {
    auto made = std::make_unique<Beginnings>();
    for (uint32_t number = 0; number < size(); ++number) {
      for (const std::string_view literal : entry(number).pattern->literals) {
        if (literal.size() <= kBeginning) continue;
        made->of[literal.substr(0, kBeginning)].emplace_back(literal, number);
        made->longest = std::max(made->longest, literal.size());
      }
    }
    return made;
  });
}

}  // namespace ncclwhy

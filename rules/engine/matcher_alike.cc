// RuleMatcher for lines that differ from earlier ones in their numbers alone: in a storm of warnings the same text
// comes thousands of times with other numbers, and what rules it may match is found once.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/find_text.h"
#include "base/mask_digits.h"
#include "parser/parsed_line.h"
#include "parser/skeleton.h"
#include "rules/engine/loose_regex.h"
#include "rules/engine/matcher.h"
#include "rules/engine/numbers_alike.h"

namespace ncclwhy {

// Lines that have a shape are told by that, whatever numbers they have and of whatever length. For others, which are
// not NCCL's, the shape costs more than it saves: those that have the same letters, and digits in the same places, are
// one.
//   localGid fe80::1b with status=12   →   localGid H::H with status=D
//   step 41200 loss 2.13               →   step 00000 loss 0.00
struct RuleMatcher::Kind {
  std::string_view text;
  bool shape = false;
  NumbersAlike all = NumbersAlike::kNo;  // of a shape: less than that is not the same for all

  Kind(std::string_view of, bool is_shape) : text(of), shape(is_shape) {
    const auto holds = [&](char mark) { return text.find(mark) != std::string_view::npos; };
    if (!shape) return;
    all = holds(skeleton::kHex)       ? NumbersAlike::kAll
          : holds(skeleton::kDecimal) ? NumbersAlike::kDecimals
                                      : NumbersAlike::kNo;
  }
  // Whether a literal or a regex says the same of all lines.
  bool SameForAll(const PatternTable::LiteralsAlike& literals) const {
    return shape ? literals.alike >= all : !literals.digits;
  }
  bool SameForAll(std::string_view literal) const { return shape ? LiteralAlike(literal) >= all : !HasDigit(literal); }
  bool SameForAll(const PatternTable& patterns, uint32_t number) const {
    return shape ? patterns.Alike(number) >= all : patterns.Texts(number).digits_alike;
  }
  // Calls visit(pattern) where one of them may hold a literal for which that is not so.
  template <typename Visit>
  void ForEachDecided(const PatternTable& patterns, const Visit& visit) const {
    const PatternTable::NumberedLiterals& literals = shape ? patterns.LiteralsForShapes() : patterns.MaskedLiterals();
    literals.by_text.ForEach(text, [&](uint32_t number, size_t at) {
      const PatternTable::Numbered& literal = literals.all[number];
      if (shape && literal.alike >= all) return;
      const bool there = literal.text.size() < 2 ? text.find(literal.text) != std::string_view::npos
                                                 : text.substr(at).starts_with(literal.text);
      if (there) visit(literal.pattern);
    });
  }
};

namespace {

// Lines of a shape that are longer are another kind: what a regex bounds is no bound to short ones.
size_t LongestAlike(size_t size) {
  size_t longest = 128;
  while (longest < size) longest *= 2;
  return longest;
}

// Whether some text of the shape may have this literal at `at`, or within the number there.
//   `status=D opcode=D`   status=12: yes   status=x2, status=12,: no
bool MayStandAt(std::string_view shape, size_t at, std::string_view literal) {
  for (size_t i = 0; i < literal.size(); ++at) {
    if (at >= shape.size()) return false;
    if (!skeleton::IsNumber(shape[at])) {
      if (shape[at] != literal[i++]) return false;
      continue;
    }
    if (!skeleton::MayHold(shape[at], literal[i])) return false;
    while (i < literal.size() && skeleton::MayHold(shape[at], literal[i])) ++i;
  }
  return true;
}

}  // namespace

// The candidates of all lines of a kind.
void RuleMatcher::FindForAll(const ParsedLine& line, const Kind& kind, Alike* alike) {
  FindCandidates(line.body, &candidates_);
  // The literal "status=12" is not in a line with status=5, and may be in the next one of its shape.
  kind.ForEachDecided(patterns_, [&](uint32_t pattern) { AddCandidate(pattern, &candidates_); });
  SortByPattern(&candidates_);
  AddOfLine();
  alike->shape = kind.shape;
  alike->candidates = candidates_;
  alike->asked.clear();
  alike->held.clear();
  alike->by_numbers.clear();
  alike->fitted = false;
}

// Whether some line of a kind has a literal of a candidate: one whose words are no numbers stands in all of them or in
// none. The few others are asked again.
bool RuleMatcher::FindLiteral(const ParsedLine& line, const Kind& kind, uint32_t number, Alike* alike) {
  Candidate& c = alike->candidates[number];
  if (c.searched) return c.may_have_literal;
  c.searched = true;
  const PatternEntry& entry = patterns_.entry(c.pattern);
  const std::vector<KeptText>& literals = entry.pattern->literals;
  const auto same = [&](std::string_view literal) { return kind.SameForAll(literal); };
  const auto there = [&](std::string_view literal) { return HoldsText(line.body, literal); };
  // Else it would be no candidate.
  // The index found one of its literals here, and what says the same of all lines is in all of them.
  const bool sure = !entry.of_line() && kind.SameForAll(patterns_.Literals(c.pattern));
  c.has_literal = sure || std::any_of(literals.begin(), literals.end(),
                                      [&](std::string_view literal) { return same(literal) && there(literal); });
  const size_t places = alike->asked.size();
  if (c.has_literal) return c.may_have_literal = true;
  for (const std::string_view literal : literals) {
    if (!same(literal)) AddPlaces(number, literal, kind, alike);
  }
  return c.may_have_literal = alike->asked.size() > places;
}

// `status=` of `status=12` stands at the same places of all texts of a shape, counted from the numbers in front.
void RuleMatcher::AddPlaces(uint32_t candidate, std::string_view literal, const Kind& kind, Alike* alike) {
  if (!kind.shape) {
    //    "epoch 12" is looked for as "epoch 00" in "epoch 00 step 00000"
    std::string masked(literal);
    std::replace_if(masked.begin(), masked.end(), IsDigit, '0');
    for (size_t at = kind.text.find(masked); at != std::string_view::npos; at = kind.text.find(masked, at + 1)) {
      alike->asked.push_back({candidate, literal, 0, static_cast<uint32_t>(at)});
    }
    return;
  }
  const std::string_view head = literal.substr(0, FirstNumberOf(literal));
  const std::string_view rest = literal.substr(head.size());
  uint32_t number = 0;
  size_t behind = 0;
  size_t counted = 0;
  for (size_t at = kind.text.find(head); at != std::string_view::npos; at = kind.text.find(head, at + 1)) {
    const size_t place = at + head.size();
    if (!MayStandAt(kind.text, place, rest)) continue;
    for (; counted < place; ++counted) {
      if (!skeleton::IsNumber(kind.text[counted])) continue;
      ++number;
      behind = counted + 1;
    }
    const bool within = head.empty() && skeleton::IsNumber(kind.text[place]);
    if (within) {
      alike->asked.push_back({candidate, rest, number + 1, Alike::kWithin});
    } else {
      alike->asked.push_back({candidate, rest, number, static_cast<uint32_t>(place - behind)});
    }
  }
}

// No text is hashed and compared: the parser did.
RuleMatcher::Alike* RuleMatcher::AlikeOfKind(const ParsedLine& line) {
  const size_t place = line.kind % kMostKinds;  // kinds are counted from one
  if (place >= of_kinds_.size()) of_kinds_.resize(place + 1);
  OfKind& of = of_kinds_[place];
  if (of.kind != line.kind) of = {line.kind, false, {}};
  if (of.known) return &of.alike;
  if (++of.alike.seen < kOften) return nullptr;
  FindForAll(line, Kind(MaskDigits(line.body, &masked_), false), &of.alike);
  of.known = true;
  return &of.alike;
}

// In a storm the same text comes thousands of times, or the same with other numbers: its literals and regexes are
// looked for once.
RuleMatcher::Alike* RuleMatcher::AlikeOf(const ParsedLine& line) {
  return line.kind != 0 ? AlikeOfKind(line) : Remembered(line, line.shape, /*shape=*/true);
}

RuleMatcher::Alike* RuleMatcher::AlikeOfText(const ParsedLine& line) {
  return Remembered(line, MaskDigits(line.body, &masked_), /*shape=*/false);
}

// Most kinds come once or twice, and take the plain way.
RuleMatcher::Alike* RuleMatcher::Remembered(const ParsedLine& line, std::string_view text, bool shape) {
  TextMemo<Alike>::Entry* const memo = alike_.Find(shape ? LongestAlike(line.body.size()) : 0, text);
  if (!shape) patience_.Tell(memo != nullptr);
  if (memo == nullptr) return nullptr;
  Alike& alike = memo->value;
  if (!memo->known) {
    if (++alike.seen < (shape ? kOftenOfShape : kOften)) return nullptr;
    FindForAll(line, Kind(text, shape), &alike);
    alike.seen = 0;
    memo->known = true;
  }
  return &alike;
}

// Whether the regex of a candidate may match lines of a kind, and whether it is asked for each. Reading a regex takes
// as long as many lines: only those are read that may match lines of this level.
bool RuleMatcher::JudgeRegex(const ParsedLine& line, const Kind& kind, Candidate* candidate) const {
  Candidate& c = *candidate;
  if (c.judged) return !c.never;
  c.judged = true;
  const RegexTexts& texts = patterns_.Texts(c.pattern);
  c.never = std::any_of(texts.required.begin(), texts.required.end(),
                        [&](const std::string& text) { return !HoldsText(line.body, text) && kind.SameForAll(text); });
  if (c.never) return false;
  c.regex_decides = !kind.SameForAll(patterns_, c.pattern);
  return true;
}

// The candidates that may match lines of this level, dialect and file.
void RuleMatcher::Fit(const ParsedLine& line, Alike* alike) {
  using Regex = Candidate::Regex;
  alike->fitted = true;
  alike->level = line.header.level;
  alike->dialect = line.dialect;
  alike->file.assign(line.header.file);
  alike->fitting.clear();
  alike->counts.clear();
  const bool shape = alike->shape;
  const Kind kind(shape ? line.shape : MaskDigits(line.body, &masked_), shape);
  // Conditions on the same line stand behind the patterns of their rule, so one pass is enough.
  uint32_t rule = UINT32_MAX;  // the latest one of which a pattern fits
  for (uint32_t i = 0; i < alike->candidates.size(); ++i) {
    Candidate& c = alike->candidates[i];
    const PatternEntry& entry = patterns_.entry(c.pattern);
    const LinePattern& pattern = *entry.pattern;
    c.fits = Fits(pattern, line) && (!entry.of_line() || entry.rule == rule) && FindLiteral(line, kind, i, alike);
    if (!c.fits) continue;
    if (pattern.regex.empty()) c.regex = Regex::kYes;
    c.fits = pattern.regex.empty() || JudgeRegex(line, kind, &c);
    if (!c.fits) continue;
    if (!c.regex_decides && c.regex == Regex::kUnknown) c.regex = AskRegex(c.pattern, line.body);
    if (!c.regex_decides && c.regex == Regex::kNo) continue;
    alike->fitting.push_back(i);
    if (entry.condition == nullptr) rule = entry.rule;
  }
  alike->asked_now.clear();
  for (const Alike::Asked& asked : alike->asked) {
    if (std::binary_search(alike->fitting.begin(), alike->fitting.end(), asked.candidate)) {
      alike->asked_now.push_back(asked);
    }
  }
  SortByPlace(alike);
  alike->latest.clear();
  const auto decides = [&](uint32_t i) { return alike->candidates[i].regex_decides; };
  alike->numbers_decide =
      !alike->asked_now.empty() || std::any_of(alike->fitting.begin(), alike->fitting.end(), decides);
}

RuleMatcher::OverKinds& RuleMatcher::OverKindsOf(uint32_t pattern, size_t longest) {
  const std::string_view regex = patterns_.entry(pattern).pattern->regex;
  const bool counts = regex.find('{') != std::string_view::npos;
  const auto [it, is_new] = over_kinds_.try_emplace(uint64_t{pattern} << 32 | (counts ? longest : 0));
  if (!is_new) return it->second;
  const auto made = [longest](std::string_view text) {
    std::optional<RegexNfa> nfa = text.empty() ? std::nullopt : NfaOf(text, longest);
    return nfa ? std::make_unique<RegexOverKind>(*std::move(nfa)) : nullptr;
  };
  it->second.exact = made(regex);
  if (it->second.exact != nullptr) it->second.loose = made(LooseRegex(regex));
  return it->second;
}

void RuleMatcher::AskForAll(const ParsedLine& line, Alike* alike) {
  using Regex = Candidate::Regex;
  using Says = RegexOverKind::Says;
  const bool shape = alike->shape;
  const Kind kind(shape ? line.shape : MaskDigits(line.body, &masked_), shape);
  const size_t longest = LongestAlike(line.body.size());
  const auto ask = [&](RegexOverKind& over) { return shape ? over.OfShape(kind.text) : over.OfMasked(kind.text); };
  bool told = false;
  for (const uint32_t i : alike->fitting) {
    Candidate& c = alike->candidates[i];
    if (!c.regex_decides || std::exchange(c.asked_for_all, true)) continue;
    const OverKinds& over = OverKindsOf(c.pattern, longest);
    if (over.exact == nullptr) continue;
    Says says = over.loose == nullptr ? Says::kDepends : ask(*over.loose);
    if (says != Says::kNo) says = ask(*over.exact);
    // One that RE2 does not compile is counted for each line.
    if (says != Says::kNo && patterns_.Compiled(c.pattern).regex == nullptr) continue;
    if (says == Says::kDepends) {
      if (shape) alike->by_numbers.push_back({i, over.exact.get(), {}});
      continue;
    }
    c.regex = says == Says::kYes ? Regex::kYes : Regex::kNo;
    c.regex_decides = false;
    c.never = says == Says::kNo;
    told = true;
  }
  if (told) Fit(line, alike);
}

RuleMatcher::Alike::Counts& RuleMatcher::CountsOf(Alike& alike, uint32_t process) {
  if (alike.counts.empty()) alike.counts.resize(kCounts);
  const auto place = [&]() -> Alike::Counts& { return alike.counts[process & (alike.counts.size() - 1)]; };
  if (place().process == process && place().kept.size() == alike.fitting.size()) return place();
  // Hundreds of ranks write the same in turns.
  const size_t size = alike.counts.size();
  if (place().process != kNoProcess && ++alike.displaced > 2 * size && size < kMostCounts &&
      more_counts_ < kMoreCounts) {
    more_counts_ += size;
    alike.displaced = 0;
    alike.counts.assign(2 * size, {});
  }
  Alike::Counts& counts = place();
  counts.process = process;
  counts.sorted = 0;
  counts.kept.clear();
  for (const uint32_t i : alike.fitting) counts.kept.push_back(&KeptOf(alike.candidates[i].pattern, process));
  return counts;
}

// Lines only come later, and hits too.
void RuleMatcher::AddUp(Counted* counted) {
  if (counted->lines == 0) return;
  for (const uint32_t number : counted->hits) {
    Hit& hit = hits_.hits[number];
    hit.repeats += counted->lines;
    if (hit.line < counted->line) MoveOn(hit, counted->line, counted->offset);
  }
  counted->lines = 0;
}

// Which candidates match is the same for all lines then: in a storm most of them are only counted.
void RuleMatcher::Sort(const Alike& alike, Alike::Counts* counts) {
  if (counts->sorted == 0 || CountedOf(counts->sorted).by != counts->sorted) {
    counts->sorted = ++sortings_;
    counted_.resize(std::max<size_t>(counted_.size(), counts->sorted % kCounted + 1));
  }
  Counted& counted = CountedOf(counts->sorted);
  AddUp(&counted);
  counted.by = counts->sorted;
  counted.hits.clear();
  counts->open.clear();
  matched_rule_ = UINT32_MAX;
  for (size_t i = 0; i < alike.fitting.size(); ++i) {
    const Candidate& c = alike.candidates[alike.fitting[i]];
    if (!c.has_literal || !IsAsked(c)) continue;
    const Kept& kept = *counts->kept[i];
    const bool matches = c.regex == Candidate::Regex::kYes;
    if (matches) Matched(c);
    if (matches && kept.full && kept.last != UINT32_MAX) {
      counted.hits.push_back(kept.last);
    } else {
      counts->open.push_back(static_cast<uint32_t>(i));
    }
  }
}

void RuleMatcher::OnSorted(Alike& alike, Alike::Counts& counts, const ParsedLine& line, SourceFacts& facts) {
  if (counts.sorted == 0 || CountedOf(counts.sorted).by != counts.sorted) Sort(alike, &counts);
  bool filled = false;
  for (const uint32_t i : counts.open) {
    // Looked at before and behind: a candidate that fills up moves from open to counted.
    const bool full = counts.kept[i]->full;
    TryPattern(alike.candidates[alike.fitting[i]], line, counts.process, facts);
    filled = filled || full != counts.kept[i]->full;
  }
  Counted& counted = CountedOf(counts.sorted);
  if (!counted.hits.empty()) {
    ++counted.lines;
    counted.line = line.number;
    counted.offset = line.offset;
    facts.counters.Add(Counter::kDroppedHits, counted.hits.size());
  }
  // A candidate that has just become full is only counted from the next line on.
  if (filled) Sort(alike, &counts);
}

void RuleMatcher::OnKnown(Alike& alike, const ParsedLine& line, uint32_t process, SourceFacts& facts) {
  const bool same = alike.fitted && alike.level == line.header.level && alike.dialect == line.dialect &&
                    alike.file == line.header.file;
  // WARN and INFO of one text, or the same words of another program, are not for the same patterns.
  if (!same) Fit(line, &alike);
  if (alike.numbers_decide && ++alike.decided % kAskForAll == 0) AskForAll(line, &alike);
  if (alike.fitting.empty()) return;
  if (alike.numbers_decide && alike.latest != line.body) AskNumbers(line, &alike);
  Alike::Counts& counts = CountsOf(alike, process);
  if (!alike.numbers_decide) return OnSorted(alike, counts, line, facts);
  matched_rule_ = UINT32_MAX;
  uint64_t only_counted = 0;
  for (size_t i = 0; i < alike.fitting.size(); ++i) {
    Candidate& c = alike.candidates[alike.fitting[i]];
    if (!c.has_literal || c.regex == Candidate::Regex::kNo || !IsAsked(c)) continue;
    if (c.regex == Candidate::Regex::kYes && counts.kept[i]->full) {
      CountOnly(c.pattern, *counts.kept[i], line);
      ++only_counted;
    } else if (!TryPattern(c, line, process, facts)) {
      continue;
    }
    Matched(c);
  }
  facts.counters.Add(Counter::kDroppedHits, only_counted);
}

}  // namespace ncclwhy

// RuleMatcher: the LineSink that finds hits. Per line: index of literals over the body → candidate patterns → level,
// dialect and file → texts that the regex asks for → regex → captures only for hits that are kept.
//
// Not thread-safe: one per source. The patterns and tables are shared and outlive it.
#pragma once

#include <array>
#include <bitset>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/patience.h"
#include "base/sparse_table.h"
#include "base/text_memo.h"
#include "rules/engine/clipped_match.h"
#include "rules/engine/finding.h"
#include "rules/engine/literal_index.h"
#include "rules/engine/pattern_table.h"
#include "rules/engine/regex_over_kind.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {

// What a line costs is bounded by its literals: most lines have none, and meet no regex. In a storm (thousands of lines
// of one shape) candidates, levels and regexes are asked once for all of them (matcher_alike.cc). What is remembered
// for that never changes an answer.
class RuleMatcher final : public RuleSet::Matcher {
 public:
  RuleMatcher(const PatternTable& patterns, const LiteralIndex& literals);

  // `message` is not asked: a rule may match what the catalogue knows as well.
  // Lines of a source in their order. A line that is shown twice is two hits.
  void OnLine(const ParsedLine& line, uint32_t process, int message, SourceFacts& facts) override;
  bool MayMatch(LogLevel level, std::string_view shape, std::vector<std::string>* words) const override;
  // The matcher is used up then.
  SourceHits Take() override;
  // Takes all that `segment` has.
  void Join(Matcher& segment, SegmentTranslation& in_source, SourceFacts& facts) override;

 private:
  // How many hits of one pattern and process there were, and the last one that was kept.
  // By pattern and process: the limits of limits.h are counted here.
  struct Kept {
    uint32_t count = 0;
    uint32_t last = UINT32_MAX;
    bool full = false;  // no more will be kept
  };

  // What a source has of one pattern.
  struct OfPattern {
    uint64_t seen = 0;                // the last line that made it a candidate
    uint32_t kept_total = 0;          // hits that were kept
    uint32_t last_kept = UINT32_MAX;  // index of the last kept hit
    // Of the latest hit. A process writes many lines in a row.
    uint32_t process = kNoProcess;
    Kept* kept = nullptr;
  };

  // A pattern with a literal in a body, and whether its regex matches there, once that was asked; one without a regex
  // matches where its literal is. In a kind of lines: what came of those before, so that a storm of one warning asks
  // the rules a few times and not for each line.
  struct Candidate {
    uint32_t pattern = 0;
    enum class Regex : uint8_t { kUnknown, kNo, kYes, kBroken } regex = Regex::kUnknown;
    bool regex_decides = false;     // of lines that differ in numbers: its regex is asked for each
    bool searched = false;          // its literals were looked for in all lines
    bool may_have_literal = false;  // some line has one
    bool has_literal = true;        // false: its literals of digits are not in this one
    bool fits = true;               // level, dialect and file of the latest line
    bool judged = false;            // its regex was read
    bool never = false;             // and matches none
    bool asked_for_all = false;     // it was followed through the kind
  };
  // Those of all bodies of a shape, or of all that differ in their digits alone.
  struct Alike {
    std::vector<Candidate> candidates;
    bool shape = false;  // they are of a shape
    uint32_t seen = 0;
    bool numbers_decide = false;  // of one that fits: whether its literal is there, or its regex matches
    uint32_t decided = 0;         // lines of which they did
    std::string latest;           // the body for which these were asked last
    // What of a literal depends on the numbers, of a candidate that has none else, and where it would stand: so far
    // behind that number of the line (0: behind the beginning), or within it.
    // Only a hexadecimal or decimal number can decide about such a literal.
    struct Asked {
      uint32_t candidate = 0;
      std::string_view literal;
      uint32_t number = 0;
      uint32_t behind = 0;
    };
    static constexpr uint32_t kWithin = UINT32_MAX;
    std::vector<Asked> asked;
    std::vector<Asked> asked_now;  // of candidates that fit
    // Those of asked_now for one place, from `begin` to `end`, and the bytes that they begin with.
    struct Place {
      uint32_t begin = 0, end = 0;
      std::bitset<256> first;
    };
    std::vector<Place> places;
    std::vector<uint32_t> held;  // candidates of which the latest line has such a literal
    // Of a candidate of a shape: the numbers of a line that its regex is read through.
    struct ByNumbers {
      uint32_t candidate = 0;
      RegexOverKind* over = nullptr;
      RegexOverKind::Way way;
    };
    std::vector<ByNumbers> by_numbers;
    // Which candidates may match lines like the latest one, and what was kept of them for some processes.
    bool fitted = false;
    LogLevel level = LogLevel::kNone;
    Dialect dialect = Dialect::kUnknown;
    std::string file;
    std::vector<uint32_t> fitting;
    // A process has one place, by its number; another one that needs it takes it over.
    struct Counts {
      uint32_t process = kNoProcess;
      std::vector<Kept*> kept;  // beside fitting
      // Where no number decides: the hits that one more line is only counted with, and the other candidates that match.
      uint64_t sorted = 0;  // Counted::by; 0: not yet
      std::vector<uint32_t> open;
    };
    std::vector<Counts> counts;  // by process, the latest one in each place
    size_t displaced = 0;        // of these
  };
  // Bounds of what is remembered. Nothing of it changes an answer: what is not remembered is asked again.
  static constexpr uint32_t kOften = 2;          // to find what holds for all costs as much as two or three lines
  static constexpr uint32_t kOftenOfShape = 16;  // of a shape it is dearer: each word of a literal may be a number
  static constexpr size_t kDear = 8;             // candidates of a line whose text is asked for in any case
  static constexpr uint32_t kAskForAll = 32;     // so many lines cost as much as following a regex through all of them
  // Processes of a kind, powers of two; and places that all kinds together have beyond the first ones.
  static constexpr size_t kCounts = 32;
  static constexpr size_t kMostCounts = 512;
  static constexpr size_t kMoreCounts = 32768;
  static constexpr size_t kMostKinds = 4096;
  // `candidates` is replaced: patterns with a literal in `body`, in the order of their numbers.
  void FindCandidates(std::string_view body, std::vector<Candidate>* candidates);
  // Makes the pattern a candidate, once for each body.
  void AddCandidate(uint32_t number, std::vector<Candidate>* candidates) {
    uint64_t& seen = of_pattern_[number].seen;
    if (seen == lines_) return;
    seen = lines_;
    candidates->push_back({number});
  }
  // Conditions on the same line stand behind the patterns of their rule then.
  static void SortByPattern(std::vector<Candidate>* candidates);
  // One by one: for the few patterns that the index does not hold.
  bool HasLiteral(uint32_t number, std::string_view body) const;
  // The conditions on the same line of the rules whose patterns are in candidates_.
  void AddOfLine();
  // What all lines of a kind have in common, and what its lines may or must hold.
  // A shape, or a line with its digits masked (matcher_alike.cc).
  struct Kind;
  void FindForAll(const ParsedLine& line, const Kind& kind, Alike* alike);
  // Whether a candidate has a literal in this line, or in others of the kind (then its places are noted).
  bool FindLiteral(const ParsedLine& line, const Kind& kind, uint32_t number, Alike* alike);
  // Where a literal with numbers in it may stand in lines of the kind.
  static void AddPlaces(uint32_t candidate, std::string_view literal, const Kind& kind, Alike* alike);
  // Which candidates the numbers of this very line decide about.
  static void AskNumbers(const ParsedLine& line, Alike* alike);
  static void SortByPlace(Alike* alike);
  // What is known of lines like this, or null: of its kind or shape, and of its text.
  Alike* AlikeOf(const ParsedLine& line);
  Alike* AlikeOfText(const ParsedLine& line);
  Alike* Remembered(const ParsedLine& line, std::string_view text, bool shape);
  Alike* AlikeOfKind(const ParsedLine& line);
  // A line of a known kind: only what is not known of all of them is asked.
  void OnKnown(Alike& alike, const ParsedLine& line, uint32_t process, SourceFacts& facts);
  // Whether the regex says the same of all lines of the kind; false: it has to be asked for each.
  bool JudgeRegex(const ParsedLine& line, const Kind& kind, Candidate* candidate) const;
  // Whether a regex that was asked for each line so far says the same of all.
  void AskForAll(const ParsedLine& line, Alike* alike);
  // Of a regex, and of its LooseRegex, by which bytes are not counted; null: it cannot be followed.
  struct OverKinds {
    std::unique_ptr<RegexOverKind> exact, loose;
  };
  OverKinds& OverKindsOf(uint32_t pattern, size_t longest);
  // Which candidates may match lines of this level, dialect and file.
  void Fit(const ParsedLine& line, Alike* alike);
  // The counts of one process; those of another one in its place are begun anew.
  Alike::Counts& CountsOf(Alike& alike, uint32_t process);
  // Hits that lines of one kind and process are only counted with, and what was not yet added to them: many rules may
  // know a line that comes a million times.
  struct Counted {
    uint64_t by = 0;  // the number of the sorting that this place was given to
    std::vector<uint32_t> hits;
    uint32_t lines = 0;
    uint32_t line = 0;  // the latest one
    uint64_t offset = 0;
  };
  static constexpr size_t kCounted = 4096;
  Counted& CountedOf(uint64_t sorting) { return counted_[sorting % kCounted]; }
  void AddUp(Counted* counted);
  // Which hits one more line of this process is only counted with.
  void Sort(const Alike& alike, Alike::Counts* counts);
  // The shortest way: counters, and what is left open.
  void OnSorted(Alike& alike, Alike::Counts& counts, const ParsedLine& line, SourceFacts& facts);
  // One more hit of a pattern and process of which no more are kept.
  void MoveOn(const Kept& kept, uint32_t line, uint64_t offset);
  static void MoveOn(Hit& hit, uint32_t line, uint64_t offset);
  // Of a pattern and process that are full.
  void CountOnly(uint32_t number, Kept& kept, const ParsedLine& line);
  // By the texts that it asks for, where they tell; else by RE2.
  Candidate::Regex AskRegex(uint32_t number, std::string_view body) const;
  // Level, dialect and file.
  static bool Fits(const LinePattern& pattern, const ParsedLine& line);
  // A line whose end was cut off: rules that would match more of it, where they nearly agree.
  void OnClipped(const ParsedLine& line, std::string_view text, const std::vector<Candidate>& known, uint32_t process,
                 SourceFacts& facts);
  // A match: kept where there is room, else counted with an earlier one.
  void Hold(uint32_t number, const ParsedLine& line, uint32_t process, SourceFacts& facts);
  // True: it matches.
  bool TryPattern(Candidate& candidate, const ParsedLine& line, uint32_t process, SourceFacts& facts);
  // In the order of their numbers. A condition on the same line stands behind the patterns of its rule.
  bool IsAsked(const Candidate& candidate) const {
    const PatternEntry& entry = patterns_.entry(candidate.pattern);
    return !entry.of_line() || entry.rule == matched_rule_;
  }
  void Matched(const Candidate& candidate) {
    const PatternEntry& entry = patterns_.entry(candidate.pattern);
    if (entry.condition == nullptr) matched_rule_ = entry.rule;
  }
  // Whether one more hit is kept, and in what detail; one that is not is counted with an earlier one.
  enum class Room : uint8_t { kNone, kPlace, kAll };
  // At limits::kHitsPerPatternAndProcess the last one becomes a place that moves along; beyond the limits of the source
  // only the count grows.
  Room CountHit(uint32_t number, uint32_t process, uint32_t repeats, SourceFacts& facts);
  // `bare`: its place alone, without text and captures.
  void KeepHit(uint32_t number, const ParsedLine& line, uint32_t process, bool bare, SourceFacts& facts);

  // Valid until the next hit of another pattern or process is held: elements of an unordered_map stay where they are.
  Kept& KeptOf(uint32_t number, uint32_t process);

  const PatternTable& patterns_;
  LiteralIndex literals_;
  SparseTable<OfPattern> of_pattern_;        // by pattern: a source meets few of them
  std::unordered_map<uint64_t, Kept> kept_;  // by pattern and process
  std::vector<Candidate> candidates_;        // of the current line
  TextMemo<Alike> alike_;                    // by shape, or by masked body
  // Of lines whose kind the parser knows: the latest one in each place.
  struct OfKind {
    uint32_t kind = 0;
    bool known = false;
    Alike alike;
  };
  std::vector<OfKind> of_kinds_;
  std::unordered_map<uint64_t, OverKinds> over_kinds_;  // by pattern, and how long lines are
  std::string masked_;
  std::vector<Counted> counted_;  // the latest sorting in each place
  uint64_t sortings_ = 0;
  size_t more_counts_ = 0;
  Patience patience_;  // for bodies that have no shape
  // Room for the captures of one match.
  std::vector<Re2Text> groups_;
  // Bodies that were scanned; the mark in OfPattern::seen.
  uint64_t lines_ = 0;
  uint32_t matched_rule_ = UINT32_MAX;  // the latest one of which a pattern matched this line
  ClippedMatch clipped_;
  // Up to limits::kClippedLooks.
  uint32_t clipped_lines_ = 0;
  SourceHits hits_;
};

}  // namespace ncclwhy

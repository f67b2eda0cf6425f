// RuleMatcher: the LineSink that finds hits. Per line: index of literals over the body → candidate patterns → level,
// dialect and file → texts that the regex asks for → regex → captures only for hits that are kept.
//
// Not thread-safe: one per source. The patterns and tables are shared and outlive it.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text_memo.h"
#include "rules/engine/clipped_match.h"
#include "rules/engine/finding.h"
#include "rules/engine/literal_index.h"
#include "rules/engine/pattern_table.h"
#include "rules/engine/rule_set.h"

namespace ncclwhy {

class RuleMatcher final : public RuleSet::Matcher {
 public:
  RuleMatcher(const PatternTable& patterns, const LiteralIndex& literals);

  void OnLine(const ParsedLine& line, uint32_t process, int message, SourceFacts& facts) override;
  bool MayMatch(std::string_view shape, std::vector<std::string>* words) const override;
  SourceHits Take() override;
  void Join(Matcher& segment, SegmentTranslation& in_source, SourceFacts& facts) override;

 private:
  // How many hits of one pattern and process there were, and the last one that was kept.
  struct Kept {
    uint32_t count = 0;
    uint32_t last = UINT32_MAX;
  };

  // By pattern: the process of the latest hit. A process writes many lines in a row.
  struct Latest {
    uint32_t process = kNoProcess;
    Kept* kept = nullptr;
  };

  // A pattern with a literal in a body, and whether its regex matches there, once that was asked.
  struct Candidate {
    uint32_t pattern = 0;
    enum class Regex : uint8_t { kUnknown, kNo, kYes, kBroken } regex = Regex::kUnknown;
    bool regex_decides = false;  // of lines that differ in digits: its regex is asked for each
    bool has_literal = true;     // false: its literals of digits are not in this one
  };
  // Those of all bodies that differ in their digits alone.
  struct Alike {
    std::vector<Candidate> candidates;
    uint32_t seen = 0;
    bool digits_decide = false;  // of one of them: whether its literal is there, or its regex matches
    std::string latest;          // the body for which these were asked last
    // Where a literal with digits would stand, of candidates that have none without.
    struct Place {
      size_t candidate = 0;
      size_t offset = 0;
      const std::string* literal = nullptr;
    };
    std::vector<Place> places;
  };
  static constexpr uint32_t kOften = 32;  // to find what holds for all costs as much as some dozens of lines
  void FindCandidates(std::string_view body, std::vector<Candidate>* candidates);
  void FindForAll(std::string_view body, std::string_view masked, Alike* alike);
  void AddPlaces(size_t candidate, std::string_view masked, Alike* alike) const;
  static void AskDigits(std::string_view body, Alike* alike);
  std::vector<Candidate>& CandidatesOf(std::string_view body);
  bool HoldsLiteralOfLetters(uint32_t number, std::string_view body) const;
  Candidate::Regex AskRegex(uint32_t number, std::string_view body) const;
  // Level, dialect and file.
  static bool Fits(const LinePattern& pattern, const ParsedLine& line);
  // A line whose end was cut off: rules that would match more of it, where they nearly agree.
  void OnClipped(const ParsedLine& line, std::string_view text, const std::vector<Candidate>& known, uint32_t process,
                 SourceFacts& facts);
  void Hold(uint32_t number, const ParsedLine& line, uint32_t process, SourceFacts& facts);
  void TryPattern(Candidate& candidate, const ParsedLine& line, uint32_t process, SourceFacts& facts);
  // Whether one more hit is kept, and in what detail; one that is not is counted with an earlier one.
  enum class Room : uint8_t { kNone, kPlace, kAll };
  Room CountHit(uint32_t number, uint32_t process, uint32_t repeats, SourceFacts& facts);
  void KeepHit(uint32_t number, const ParsedLine& line, uint32_t process, bool bare, SourceFacts& facts);

  Kept& KeptOf(uint32_t number, uint32_t process);

  const PatternTable& patterns_;
  LiteralIndex literals_;
  std::vector<uint64_t> seen_;               // by pattern: the last line that made it a candidate
  std::vector<uint32_t> kept_total_;         // by pattern, in this source
  std::vector<uint32_t> last_kept_;          // by pattern: index of the last kept hit
  std::unordered_map<uint64_t, Kept> kept_;  // by pattern and process
  std::vector<Latest> latest_;
  std::vector<Candidate> candidates_;  // of the current line
  TextMemo<Alike> alike_;              // by masked body
  std::string masked_;
  std::vector<Re2Text> groups_;
  uint64_t lines_ = 0;
  ClippedMatch clipped_;
  uint32_t clipped_lines_ = 0;
  SourceHits hits_;
};

}  // namespace ncclwhy

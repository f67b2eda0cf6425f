#include "rules/engine/matcher.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/find_text.h"
#include "base/limits.h"
#include "base/re2_call.h"
#include "parser/facts.h"
#include "parser/parsed_line.h"
#include "rules/engine/literals_of_shape.h"

namespace ncclwhy {
namespace {

constexpr size_t kTimeText = 64;  // of a time stamp

// A pattern that lists no level or dialect fits all of them.
template <typename T>
bool AnyOrContains(const std::vector<T>& values, T value) {
  return values.empty() || std::find(values.begin(), values.end(), value) != values.end();
}

// "socket.cc" is the file of `misc/socket.cc:484` and of `/build/src/misc/socket.cc`, not of `ipcsocket.cc`.
// NCCL prints the path as it was built; versions and builds differ in all but the last part of it.
bool IsFile(std::string_view path, std::string_view name) {
  if (!path.ends_with(name)) return false;
  return path.size() == name.size() || path[path.size() - name.size() - 1] == '/';
}

}  // namespace

RuleMatcher::RuleMatcher(const PatternTable& patterns, const LiteralIndex& literals)
    : patterns_(patterns), literals_(literals), of_pattern_(patterns.size()), clipped_(patterns) {}

void RuleMatcher::SortByPattern(std::vector<Candidate>* candidates) {
  std::sort(candidates->begin(), candidates->end(),
            [](const Candidate& a, const Candidate& b) { return a.pattern < b.pattern; });
}

// Each pattern once, however many of its literals the line has: `seen` keeps the number of the line in which it was
// found last, which needs no clearing. Sorted, so that hits of one line stand in the order of the rules, and the
// patterns of a rule stand together.
void RuleMatcher::FindCandidates(std::string_view body, std::vector<Candidate>* candidates) {
  ++lines_;
  candidates->clear();
  literals_.Scan(body, [&](uint32_t number) { AddCandidate(number, candidates); });
  SortByPattern(candidates);
}

// Conditions on the very line of a hit ("and the line says nothing of …") are in no index: they are asked for the rules
// alone that have a candidate here.
void RuleMatcher::AddOfLine() {
  const size_t found = candidates_.size();
  uint32_t latest = UINT32_MAX;
  for (size_t i = 0; i < found; ++i) {
    const PatternEntry& entry = patterns_.entry(candidates_[i].pattern);
    if (entry.condition != nullptr || entry.rule == latest) continue;
    latest = entry.rule;
    for (const uint32_t number : entry.conditions) candidates_.push_back({number});
  }
  if (candidates_.size() > found) SortByPattern(&candidates_);
}

// Those of the index have it by being candidates.
bool RuleMatcher::HasLiteral(uint32_t number, std::string_view body) const {
  const std::vector<KeptText>& literals = patterns_.entry(number).pattern->literals;
  return std::any_of(literals.begin(), literals.end(),
                     [&](std::string_view literal) { return HoldsText(body, literal); });
}

void RuleMatcher::OnLine(const ParsedLine& line, uint32_t process, int /*message*/, SourceFacts& facts) {
  // A clipped line ends anywhere: rules that would match more of it are looked for, a few times.
  const std::string_view clipped = BeforeClip(line.body);
  const bool whole = clipped.empty() || clipped_lines_ >= limits::kClippedLooks;
  const bool told = line.kind != 0 || !line.shape.empty();  // by the parser, what it is like
  const bool by_text = !told && patience_.Asks();
  // The plain way below says the same of each line.
  if (whole && (told || by_text)) {
    if (Alike* const alike = told ? AlikeOf(line) : AlikeOfText(line)) return OnKnown(*alike, line, process, facts);
  }
  FindCandidates(line.body, &candidates_);
  // Most texts come once, but one that costs much is asked for all the same:
  //    WARNING:root:DALI iterator does not support resetting while epoch is not finished. Ignoring...     35 candidates
  if (whole && !by_text && line.kind == 0 && candidates_.size() >= kDear) {
    if (Alike* const alike = AlikeOfText(line)) return OnKnown(*alike, line, process, facts);
  }
  AddOfLine();
  matched_rule_ = UINT32_MAX;
  for (Candidate& candidate : candidates_) {
    if (!IsAsked(candidate)) continue;
    // A condition on the same line is here for its rule alone, and has to show its literal first:
    //    "unless": [{"literal": "Read-only file system", "scope": "line"}]
    if (patterns_.entry(candidate.pattern).of_line() && !HasLiteral(candidate.pattern, line.body)) continue;
    if (TryPattern(candidate, line, process, facts)) Matched(candidate);
  }
  if (!whole) {
    ++clipped_lines_;
    OnClipped(line, clipped, candidates_, process, facts);
  }
}

namespace {

// The cause that a rule speaks for most.
std::string_view Named(const Rule& rule) {
  const auto most = std::max_element(rule.causes.begin(), rule.causes.end(),
                                     [](const Weight& a, const Weight& b) { return a.log_odds < b.log_odds; });
  if (most == rule.causes.end()) return {};
  return most->cause;
}

}  // namespace

void RuleMatcher::OnClipped(const ParsedLine& line, std::string_view text, const std::vector<Candidate>& known,
                            uint32_t process, SourceFacts& facts) {
  // Only what says that something went wrong. Guessing that the unseen end of a line speaks of life or of context helps
  // nobody.
  const auto is_asked = [&](uint32_t number) {
    const PatternEntry& entry = patterns_.entry(number);
    return entry.condition == nullptr && entry.of->sign.life == Life::kNone && entry.of->role != Role::kContext &&
           entry.of->role != Role::kWarning && Fits(*entry.pattern, line);
  };
  std::vector<uint32_t> whole;
  for (const Candidate& c : known) {
    if (!is_asked(c.pattern)) continue;
    const bool matched = patterns_.entry(c.pattern).pattern->regex.empty() || c.regex == Candidate::Regex::kYes;
    //    RuntimeError: CUDA error: out of memory. Tried to alloc…
    if (matched) return;  // what stands there is enough to tell
    whole.push_back(c.pattern);
  }
  std::vector<uint32_t> matching;
  std::set<std::string_view> named;
  for (const uint32_t number : clipped_.Showing(text, whole)) {
    if (!is_asked(number) || !clipped_.Matches(number, text)) continue;
    // Patterns of several rules may mean one cause; then it does not matter which of them it was.
    named.insert(Named(*patterns_.entry(number).of));
    matching.push_back(number);
  }
  // A beginning that many go on from in their own ways tells nothing; two may both be meant.
  if (named.size() > 2) return;
  for (const uint32_t number : matching) {
    Hold(number, line, process, facts);
    // Of what is cut off nobody knows whether it would have been there: conditions are asked of what is.
    for (const uint32_t of_line : patterns_.entry(number).conditions) {
      Candidate condition{of_line};
      if (HasLiteral(of_line, line.body)) TryPattern(condition, line, process, facts);
    }
  }
}

bool RuleMatcher::Fits(const LinePattern& pattern, const ParsedLine& line) {
  return AnyOrContains(pattern.levels, line.header.level) && AnyOrContains(pattern.dialects, line.dialect) &&
         (pattern.file.empty() || IsFile(line.header.file, pattern.file));
}

bool RuleMatcher::MayMatch(LogLevel level, std::string_view shape, std::vector<std::string>* words) const {
  return MayHoldLiteral(patterns_, level, shape, words);
}

// Texts that every match must have, or that are enough for one, are looked for first: RE2 is the last to be asked,
// since it costs most.
RuleMatcher::Candidate::Regex RuleMatcher::AskRegex(uint32_t number, std::string_view body) const {
  using Regex = Candidate::Regex;
  //    `status=(?:12|5)\b`     no "status=" in the line: no match, without RE2
  const RegexTexts& texts = patterns_.Texts(number);
  if (texts.Refuse(body)) return Regex::kNo;
  if (texts.Prove(body)) return Regex::kYes;
  const auto matches = [&](const RE2& regex) {
    return InRe2([&] { return regex.Match(ToRe2(body), 0, body.size(), RE2::UNANCHORED, nullptr, 0); });
  };
  const CompiledPattern& loose = patterns_.Loose(number);
  if (loose.regex != nullptr && !matches(*loose.regex)) return Regex::kNo;
  const CompiledPattern& compiled = patterns_.Compiled(number);
  if (compiled.regex == nullptr) return Regex::kBroken;
  return matches(*compiled.regex) ? Regex::kYes : Regex::kNo;
}

// A regex that does not compile matches nothing, and is counted for each line that asks it.
bool RuleMatcher::TryPattern(Candidate& candidate, const ParsedLine& line, uint32_t process, SourceFacts& facts) {
  const uint32_t number = candidate.pattern;
  const PatternEntry& entry = patterns_.entry(number);
  const LinePattern& pattern = *entry.pattern;
  if (!candidate.has_literal || !Fits(pattern, line)) return false;
  if (!pattern.regex.empty()) {
    if (candidate.regex == Candidate::Regex::kUnknown) candidate.regex = AskRegex(number, line.body);
    if (candidate.regex == Candidate::Regex::kBroken) facts.counters.Add(Counter::kPatternErrors);
    if (candidate.regex != Candidate::Regex::kYes) return false;
  }
  Hold(number, line, process, facts);
  return true;
}

// Full patterns take the short way: in a storm of one message nothing else is left to do for a line than to count it.
void RuleMatcher::Hold(uint32_t number, const ParsedLine& line, uint32_t process, SourceFacts& facts) {
  Kept& kept = KeptOf(number, process);
  if (kept.full) {
    CountOnly(number, kept, line);
    facts.counters.Add(Counter::kDroppedHits);
    return;
  }
  const Room room = CountHit(number, process, 0, facts);
  if (room != Room::kNone) return KeepHit(number, line, process, room == Room::kPlace, facts);
  MoveOn(kept, line.number, line.offset);
}

void RuleMatcher::CountOnly(uint32_t number, Kept& kept, const ParsedLine& line) {
  ++kept.count;
  const uint32_t last = kept.last != UINT32_MAX ? kept.last : of_pattern_[number].last_kept;
  if (last != UINT32_MAX) ++hits_.hits[last].repeats;
  MoveOn(kept, line.number, line.offset);
}

// The last hit kept of a pattern of a process is only a place, and moves to the latest one: what a line says of the
// life of a process is judged by what follows its last repeat.
void RuleMatcher::MoveOn(Hit& hit, uint32_t line, uint64_t offset) {
  if (hit.text.valid()) return;
  hit.line = line;
  hit.offset = offset;
}

void RuleMatcher::MoveOn(const Kept& kept, uint32_t line, uint64_t offset) {
  if (kept.last != UINT32_MAX) MoveOn(hits_.hits[kept.last], line, offset);
}

// Lines of one process stand together, so the entry that was asked last for a pattern mostly is asked again. The
// pointer stays good, since an unordered_map does not move its entries.
RuleMatcher::Kept& RuleMatcher::KeptOf(uint32_t number, uint32_t process) {
  OfPattern& latest = of_pattern_[number];
  if (latest.kept == nullptr || latest.process != process) {
    latest.process = process;
    latest.kept = &kept_[static_cast<uint64_t>(number) << 32 | process];
  }
  return *latest.kept;
}

// `repeats`: so many more hits were counted with this one.
RuleMatcher::Room RuleMatcher::CountHit(uint32_t number, uint32_t process, uint32_t repeats, SourceFacts& facts) {
  const PatternEntry& entry = patterns_.entry(number);
  Kept& kept = KeptOf(number, process);
  ++kept.count;
  //    "near": [{"literal": "Xid", "scope": "host", "within": 20}]     must be near one of them, whichever that is
  const bool every_place = entry.every_place();
  // Eight hits tell what a rank complains of, and all ranks have room.
  const bool beyond_process = kept.count > entry.most;
  // The ninth is kept as a place alone, and moves along with all that come behind it: when it was said last tells
  // whether a rank still waited at the end.
  const bool latest_place = entry.condition == nullptr && kept.count == entry.most + 1;
  // A source that is full still takes some of each pattern: a storm of one warning, printed first, must not hide the
  // one line that tells the cause.
  const uint32_t room =
      hits_.hits.size() < limits::kHitsPerSource ? limits::kHitsPerPatternAndSource : limits::kHitsPerPatternBeyond;
  OfPattern& of_pattern = of_pattern_[number];
  const bool beyond_source = of_pattern.kept_total >= room;
  // A hit for which there is no room is told by the last one that is kept: of this process, or else of any.
  if (beyond_source || (beyond_process && !every_place && !latest_place)) {
    facts.counters.Add(Counter::kDroppedHits);
    const uint32_t last = kept.last != UINT32_MAX ? kept.last : of_pattern.last_kept;
    if (last != UINT32_MAX) hits_.hits[last].repeats += 1 + repeats;
    kept.count += repeats;
    kept.full = true;  // counts only grow, and rooms only shrink
    return Room::kNone;
  }
  ++of_pattern.kept_total;
  kept.count += repeats;
  kept.last = static_cast<uint32_t>(hits_.hits.size());
  of_pattern.last_kept = kept.last;
  return beyond_process ? Room::kPlace : Room::kAll;
}

// The limits of the source hold for all its segments together, so each hit of a segment is counted again here: of what
// the segment kept, only what has room is taken over. Texts and processes are put into those of the source.
void RuleMatcher::Join(Matcher& segment, SegmentTranslation& in_source, SourceFacts& facts) {
  for (Hit& hit : segment.Take().hits) {
    hit.process = in_source.Process(hit.process);
    const Room room = CountHit(hit.pattern, hit.process, hit.repeats, facts);
    hit.line = in_source.Line(hit.line);
    if (room == Room::kNone) {
      MoveOn(KeptOf(hit.pattern, hit.process), hit.line, hit.offset);
      continue;
    }
    // Kept with its text by the segment, which did not know of those before.
    if (room == Room::kPlace) {
      hit.text = {};
      hit.time = {};
      hit.captures.clear();
    }
    hit.text = in_source.Text(hit.text);
    hit.time = in_source.Text(hit.time);
    for (auto& [name, value] : hit.captures) {
      name = in_source.Text(name);
      value = in_source.Text(value);
    }
    hits_.hits.push_back(std::move(hit));
  }
}

void RuleMatcher::KeepHit(uint32_t number, const ParsedLine& line, uint32_t process, bool bare, SourceFacts& facts) {
  Hit hit;
  hit.offset = line.offset;
  hit.line = line.number;
  hit.process = process;
  hit.tid = line.header.tid;
  hit.launcher_rank = line.outer.rank;
  hit.device = line.header.device;
  hit.pattern = number;
  hit.level = line.header.level;
  if (!bare && facts.strings.bytes() < limits::kPoolBytesPerSource) {
    hit.text = facts.strings.Intern(line.body.substr(0, limits::kEvidenceText));
    const std::string_view time = line.header.time.empty() ? line.outer.time : line.header.time;
    if (!time.empty()) hit.time = facts.strings.Intern(time.substr(0, kTimeText));
    const LinePattern& pattern = *patterns_.entry(number).pattern;
    if (!pattern.regex.empty()) {
      const CompiledPattern& compiled = patterns_.Compiled(number);
      // RE2 runs a second time, with groups: only hits that are kept pay for captures, and without groups RE2 is much
      // faster.
      if (!compiled.groups.empty()) {
        groups_.assign(static_cast<size_t>(compiled.group_count) + 1, Re2Text());
        InRe2([&] {
          return compiled.regex->Match(ToRe2(line.body), 0, line.body.size(), RE2::UNANCHORED, groups_.data(),
                                       compiled.group_count + 1);
        });
        for (const auto& [index, name] : compiled.groups) {
          const std::string_view text = FromRe2(groups_[static_cast<size_t>(index)]);
          // A group that took no part in the match, or matched nothing: a template has its own words for that.
          if (text.empty()) continue;
          hit.captures.emplace_back(facts.strings.Intern(name),
                                    facts.strings.Intern(text.substr(0, limits::kEvidenceText)));
        }
      }
    }
  } else if (!bare) {
    facts.counters.Add(Counter::kDroppedText);
  }
  hits_.hits.push_back(std::move(hit));
}

SourceHits RuleMatcher::Take() {
  for (Counted& counted : counted_) AddUp(&counted);
  // A hit is large: only where each goes is sorted, by its line and then by when it came.
  std::vector<uint64_t> order;
  order.reserve(hits_.hits.size());
  for (const Hit& hit : hits_.hits) order.push_back(uint64_t{hit.line} << 32 | order.size());
  std::stable_sort(order.begin(), order.end());  // quick where nearly all is in order
  SourceHits sorted;
  sorted.hits.reserve(order.size());  // kept until all sources are read, and there may be a hundred thousand of them
  for (const uint64_t which : order) sorted.hits.push_back(std::move(hits_.hits[static_cast<uint32_t>(which)]));
  return sorted;
}

}  // namespace ncclwhy

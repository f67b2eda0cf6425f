#include "rules/engine/clipped_match.h"

#include <algorithm>
#include <utility>

#include "base/re2_call.h"
#include "base/text.h"
#include "rules/engine/pattern_regex.h"

namespace ncclwhy {
namespace {

// Each part is one more nested group: RE2 would take long to compile a deeper one.
constexpr size_t kMostParts = 200;
constexpr size_t kNpos = std::string_view::npos;

// Where the part of a regex that begins at `at` ends, its repetition included; npos: not understood.
size_t PartEnd(std::string_view regex, size_t at) {
  size_t end = at + 1;
  // What a backslash, a class or a bracket begins is one part; all else is a byte.
  if (regex[at] == '\\') {
    if (at + 1 >= regex.size()) return kNpos;
    end = at + 2;
    if (end < regex.size() && regex[end] == '{') end = regex.find('}', end) + 1;  // \x{41}, \p{L}
    if (end == 0) return kNpos;
  } else if (regex[at] == '[') {
    for (end = at + 1; end < regex.size(); ++end) {
      if (regex[end] == '\\') {
        ++end;
      } else if (regex[end] == ']' && end > at + 1 && !(end == at + 2 && regex[at + 1] == '^')) {
        break;
      }
    }
    if (end >= regex.size()) return kNpos;
    ++end;
  } else if (regex[at] == '(') {
    int depth = 1;
    // Brackets within a class or behind a backslash open nothing: `[(]`, `\(`.
    for (end = at + 1; end < regex.size() && depth > 0;) {
      if (regex[end] == '(') ++depth;
      if (regex[end] == ')' && --depth == 0) break;
      const bool whole = regex[end] == '\\' || regex[end] == '[';
      const size_t next = whole ? PartEnd(regex, end) : end + 1;
      if (next == kNpos) return kNpos;
      end = next;
    }
    if (end >= regex.size()) return kNpos;
    ++end;
  }
  // A repetition belongs to its part: `\d{1,5}` is there as a whole or not at all.
  if (end < regex.size() && regex[end] == '{') end = std::min(regex.find('}', end), regex.size() - 1) + 1;
  while (end < regex.size() && std::string_view("*+?").find(regex[end]) != kNpos) ++end;
  return end;
}

// Whether the beginning `shown` of `literal` is one that a cut left there. A sentence that ends with dots ends behind a
// word: "initializing the communicator..." is no piece of "communicator has multiple ranks using …", three words of it
// are.
bool IsPieceOf(std::string_view shown, std::string_view literal) {
  if (!literal.starts_with(shown)) return false;
  const bool in_mid_word =
      shown.size() < literal.size() && IsWordChar(shown.back()) && IsWordChar(literal[shown.size()]);
  return in_mid_word || std::count(shown.begin(), shown.end(), ' ') >= 2;
}

}  // namespace

// Viewers cut long lines. A short one that ends with dots is a sentence: "Performing health check for node3...". Of a
// longer one nobody knows, so kClippedLooks bounds what that costs.
std::string_view BeforeClip(std::string_view line) {
  constexpr size_t kNarrowest = 60;
  for (const std::string_view mark : {std::string_view("…"), std::string_view("...")}) {
    if (!line.ends_with(mark)) continue;
    return mark[0] == '.' && line.size() < kNarrowest ? std::string_view() : line.substr(0, line.size() - mark.size());
  }
  return {};
}

// `ab+c|d` becomes `a(?:b+(?:c|$)|$)|d`: behind each part either the next one follows or the text ends. Flags in front
// (`(?i)`) stay in front, where they hold for all.
std::string ClippedRegex(std::string_view regex) {
  std::string flags;
  while (regex.starts_with("(?") && regex.find(')') != kNpos && regex.find_first_of(":P", 2) > regex.find(')')) {
    flags += regex.substr(0, regex.find(')') + 1);
    regex.remove_prefix(regex.find(')') + 1);
  }
  // Of the top level only: an alternation in a group is one part.
  std::vector<std::vector<std::string_view>> alternatives(1);
  size_t parts = 0;
  for (size_t at = 0; at < regex.size();) {
    if (regex[at] == '|') {
      alternatives.emplace_back();
      ++at;
      continue;
    }
    const size_t end = PartEnd(regex, at);
    if (end == kNpos || ++parts > kMostParts) return {};
    alternatives.back().push_back(regex.substr(at, end - at));
    at = end;
  }
  std::string out;
  for (const std::vector<std::string_view>& alternative : alternatives) {
    if (!out.empty()) out += '|';
    // From the last part to the first, so that each wraps what follows it.
    std::string tail = "$";
    for (auto part = alternative.rbegin(); part != alternative.rend(); ++part) {
      tail = std::string(*part) + (part == alternative.rbegin() ? "" : "(?:" + tail + "|$)");
    }
    out += tail;
  }
  return flags + out;
}

std::vector<uint32_t> ClippedMatch::Showing(std::string_view text, const std::vector<uint32_t>& whole) const {
  constexpr size_t kShown = PatternTable::kBeginning;
  const PatternTable::Beginnings& beginnings = patterns_.LiteralBeginnings();
  std::vector<uint32_t> showing;
  for (const uint32_t number : whole) {
    const std::vector<KeptText>& literals = patterns_.entry(number).pattern->literals;
    // A short literal in a clipped line is by chance.
    const auto is_there = [&](std::string_view l) { return l.size() >= kShown && text.find(l) != kNpos; };
    if (std::any_of(literals.begin(), literals.end(), is_there)) showing.push_back(number);
  }
  // Only where the text ends in mid-literal: from each place that is near enough to the end the rest must be a
  // beginning of a literal, of at least kBeginning bytes. Shorter ones are in any line.
  // No literal that is cut here can have begun further in front.
  const size_t longest = std::min(text.size(), beginnings.longest);
  for (size_t at = text.size() - longest; at + kShown <= text.size(); ++at) {
    const auto found = beginnings.of.find(text.substr(at, kShown));
    if (found == beginnings.of.end()) continue;
    for (const auto& [literal, number] : found->second) {
      if (IsPieceOf(text.substr(at), literal)) showing.push_back(number);
    }
  }
  std::sort(showing.begin(), showing.end());
  showing.erase(std::unique(showing.begin(), showing.end()), showing.end());
  return showing;
}

// Compiled when it is first asked, since few patterns ever are; one that is not understood says no.
bool ClippedMatch::Matches(uint32_t number, std::string_view text) {
  const LinePattern& pattern = *patterns_.entry(number).pattern;
  if (pattern.regex.empty()) return true;
  std::unique_ptr<RE2>& regex = compiled_[number];
  if (regex == nullptr) {
    const std::string clipped = ClippedRegex(pattern.regex);
    if (clipped.empty()) return false;
    regex = InRe2([&] { return std::make_unique<RE2>(ToRe2(clipped), RulePatternOptions()); });
  }
  // Nested so deep that RE2 refuses it.
  if (!regex->ok()) return false;
  re2::StringPiece shown;
  if (!InRe2([&] { return regex->Match(ToRe2(text), 0, text.size(), RE2::UNANCHORED, &shown, 1); })) return false;
  // What matches has to hold some of the literal, or of what is left of it at the end: `\b`, or one letter, matches
  // anything there.
  constexpr size_t kLeast = 4;
  const auto first = static_cast<size_t>(shown.data() - text.data());
  const auto holds = [&](size_t at, size_t size) {
    const size_t begin = std::max(first, at), end = std::min(first + shown.size(), at + size);
    return end >= begin + std::min(size, kLeast);
  };
  return std::any_of(pattern.literals.begin(), pattern.literals.end(), [&](std::string_view l) {
    if (const size_t at = text.rfind(l); at != kNpos) return holds(at, l.size());
    for (size_t size = std::min(l.size(), text.size()); size > 0; --size) {
      if (text.ends_with(l.substr(0, size))) return holds(text.size() - size, size);
    }
    return false;
  });
}

}  // namespace ncclwhy

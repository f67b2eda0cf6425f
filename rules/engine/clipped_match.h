// Patterns on a line whose end was cut off and marked: what stands there must be a beginning of what they ask for.
//
//   RuntimeError: Cannot re-initialize CU…      the literal "Cannot re-initialize CUDA in forked subprocess"
//   … Call to ibv_modify_qp failed with er…     the regex "ibv_modify_qp failed with error (?P<errno_text>.*)"
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/re2_text.h"
#include "rules/engine/pattern_table.h"

namespace ncclwhy {

// The text in front of the `…` or `...` that `line` ends with; empty where it ends with none. A view of `line`.
//    "Cannot re-initialize CU…"   "Cannot re-initialize CU"
std::string_view BeforeClip(std::string_view line);

// The regex that a clipped text must match to its end: each part of the top level may be the last that is there. Empty
// when the text of the regex is not understood.
//    error (?P<errno_text>.*)   →   the text may end behind each letter, or behind the group
// The first part must be there: a regex of one part is left as it is.
std::string ClippedRegex(std::string_view regex);

// Not thread-safe: one per source.
// Only lines that a viewer marked come here (limits::kClippedLooks of a source). Compiled regexes are kept.
class ClippedMatch {
 public:
  explicit ClippedMatch(const PatternTable& patterns) : patterns_(patterns) {}

  // The patterns with a literal of which `text`, which was clipped, shows the beginning at its end, or all: enough of
  // it to tell. Those with all of one are among `whole`, patterns with a literal in the line.
  std::vector<uint32_t> Showing(std::string_view text, const std::vector<uint32_t>& whole) const;
  // Whether `text` may be the beginning of a line that such a pattern matches. True where the pattern has no regex: its
  // literal was enough. Compiles the clipped regex once.
  bool Matches(uint32_t number, std::string_view text);

 private:
  const PatternTable& patterns_;
  std::unordered_map<uint32_t, std::unique_ptr<RE2>> compiled_;  // null: not understood
};

}  // namespace ncclwhy

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

// The text in front of the `…` or `...` that `line` ends with; empty where it ends with none.
std::string_view BeforeClip(std::string_view line);

// The regex that a clipped text must match to its end: each part of the top level may be the last that is there. Empty
// when the text of the regex is not understood.
std::string ClippedRegex(std::string_view regex);

// Not thread-safe: one per source.
class ClippedMatch {
 public:
  explicit ClippedMatch(const PatternTable& patterns) : patterns_(patterns) {}

  // Whether `text`, which was clipped, may be the beginning of a line that the pattern matches, and shows enough of one
  // of its literals to tell.
  bool Matches(uint32_t number, std::string_view text);

 private:
  bool ShowsLiteral(const LinePattern& pattern, std::string_view text) const;

  const PatternTable& patterns_;
  std::unordered_map<uint32_t, std::unique_ptr<RE2>> compiled_;  // null: not understood
};

}  // namespace ncclwhy

// RegexNfa: a regex of a rule as a program of steps that can be followed for many texts at once. RE2 answers for one
// text; here it can be asked what all texts of a kind have in common (rules/engine/regex_over_kind.h).
//   `len=\d+\b`   →   l, e, n, =, a digit, back or on, a border of a word, match
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "rules/engine/regex_bytes.h"

namespace ncclwhy {

// Immutable. Bytes, as RE2 reads them in Latin-1.
struct RegexNfa {
  using Bytes = RegexBytes;
  enum class Op : uint8_t {
    kBytes,     // takes a byte of classes[arg]
    kEither,    // goes on at the next step and at `arg`
    kJump,      // goes on at `arg`
    kBegin,     // ^
    kEnd,       // $
    kBorder,    // \b
    kNoBorder,  // \B
    kMatch,
  };
  struct Step {
    Op op = Op::kMatch;
    uint16_t arg = 0;
  };
  static constexpr size_t kMostSteps = 4000;

  void GroupBytes();
  // Lines have no line end within them.
  void MatchEarly();

  std::vector<Step> steps;
  std::vector<Bytes> classes;
  // Bytes that no class tells apart, nor \b, have one number.
  std::array<uint8_t, 256> group{};
  uint32_t groups = 0;
};

// Of lines that are no longer than so many bytes, to which `[^\n]{1,300}` is no bound if they have 256. Nothing: it has
// a form that is not known here (flags, `\pN`), or too many steps.
std::optional<RegexNfa> NfaOf(std::string_view regex, size_t longest);

}  // namespace ncclwhy

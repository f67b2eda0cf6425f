// RegexTexts: texts by which a line can be told to match a regex, or not to, without running it.
//   `\[(?P<text>[\w./]*grad[\w./]*)`     no match without "[" and "grad"
//   `(?:[Ff]ail|FAIL|[Ee]rror)[^\n]*GPU`   none without "GPU", nor without one of "ail", "FAIL" and "rror"
//   `NCCL (?:INFO|WARN)|it/s\]|\bloss\b`   "it/s]" anywhere, or the word "loss", is a match
// An expression that is not understood to its end has none: then the regex has to be asked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/kept_text.h"
#include "base/word_set.h"

namespace ncclwhy {

// All that an alternative of a regex asks for.
struct RegexProof {
  std::string text;
  bool begins_word = false;  // \b in front
  bool ends_word = false;    // \b behind
};

// Immutable; asked by several threads. Most lines that reach a regex are told here, at the cost of some searches.
struct RegexTexts {
  std::vector<std::string> required;  // each is in every match; the longest ones first
  std::vector<WordSet> any_of;        // of each, one is in every match; the shortest lists first
  std::vector<RegexProof> proofs;     // one of them is a match; the shortest ones, which lines have most, first
  bool digits_alike = false;          // it asks for no digit in particular: to it, lines that differ in them are one

  // True: no match, for sure. False says nothing.
  // `line` is a body, as the regex would get it.
  bool Refuse(std::string_view line) const;
  // True: a match, for sure. False says nothing; what the match captures only the regex knows.
  bool Prove(std::string_view line) const;
};

// `literals`: no line without one of them is asked for, if there are any.
// A text that every literal holds is left out of `required`: the line has it.
RegexTexts TextsOfRegex(std::string_view regex, const std::vector<KeptText>& literals = {});

}  // namespace ncclwhy

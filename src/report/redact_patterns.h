// Shapes that say of themselves what kind of private thing they are. Group 1 is what is replaced. In this order: what
// an earlier one replaced, no later one sees.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <vector>

#include "report/redact_text.h"

namespace ncclwhy {

struct PrivatePattern {
  Private kind;
  std::unique_ptr<RE2> regex;
  bool sure = false;  // the place says what stands there, be it a number or a word that everybody uses
};
const std::vector<PrivatePattern>& PrivatePatterns();

// host-1, /path-2, https://url-3: made by us. `RE2` that finds them in a text.
const RE2& AliasPattern();

}  // namespace ncclwhy

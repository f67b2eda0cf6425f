// Shapes that say of themselves what kind of private thing they are. Group 1 is what is replaced. In this order: what
// an earlier one replaced, no later one sees.
#pragma once

#include <re2/re2.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "report/redact_text.h"

namespace ncclwhy {

// How much a place says of what stands there.
enum class Sure : uint8_t {
  kNo,     // words that everybody uses and numbers are none of it: `auth: failed`
  kPlace,  // whatever stands there, but for a few words that say there is nothing: `password: missing`
  kValue,  // the value, be it such a word: `passwd=error`
};

struct PrivatePattern {
  Private kind;
  std::unique_ptr<RE2> regex;
  Sure sure = Sure::kNo;
};
const std::vector<PrivatePattern>& PrivatePatterns();

// host-1, /path-2, https://url-3: made by us. `RE2` that finds them in a text.
const RE2& AliasPattern();

}  // namespace ncclwhy

// Which texts that differ in their numbers alone may hold a literal of a rule?
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/pattern_table.h"

namespace ncclwhy {

// Whether some NCCL line of this level and shape (parser/skeleton.h) may hold a literal of a pattern for such lines:
// `status D` does, where one is "status 12". A literal like "c10d" may stand in any hexadecimal number; these are not
// counted but added to `words`. Linear in all literals, so asked once for a shape. True is always a right answer: the
// lines are then shown to the rules.
bool MayHoldLiteral(const PatternTable& patterns, LogLevel level, std::string_view shape,
                    std::vector<std::string>* words);

}  // namespace ncclwhy

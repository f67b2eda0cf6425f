// LooseRegex: an expression that matches all that another one does, and more, and costs RE2 little where a bounded
// repetition makes that one dear: to RE2 each of so many bytes is a state of its own.
//   `\b[^\n]{0,60}\bgrid\b[^\n]{1,80}?ranks`   →   `\b[^\n]*\bgrid\b[^\n]+?ranks`
#pragma once

#include <string>
#include <string_view>

namespace ncclwhy {

// Empty where there is nothing to be gained.
std::string LooseRegex(std::string_view regex);

}  // namespace ncclwhy

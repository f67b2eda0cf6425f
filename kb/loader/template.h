// The template language of kb/README.md, for those who check templates. Expansion itself is declared in kb.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

// What is wrong with a template: unknown names, brackets that do not pair. Empty when it is fine.
std::vector<std::string> CheckTemplate(std::string_view text);

}  // namespace ncclwhy

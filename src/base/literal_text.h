// Bytes as C++ source, for the build steps that embed data.
#pragma once

#include <ostream>
#include <string_view>

namespace ncclwhy {

// `constexpr char NAME[] = "…" "…";`: string literals of some 2,000 bytes each, which every compiler takes.
void WriteLiteral(std::ostream& out, std::string_view name, std::string_view bytes);

}  // namespace ncclwhy

// Whether a file is a report of this program, by how it begins: it may be replaced by the next one.
#pragma once

#include <cstddef>
#include <string_view>

namespace ncclwhy {

// How much of it has to be known.
inline constexpr size_t kReportHead = 1024;

// Of any format, in any language. No log begins so.
bool IsOwnReport(std::string_view head);

}  // namespace ncclwhy

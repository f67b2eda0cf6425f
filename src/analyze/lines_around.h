// What stands around a line, for people who want to see more than the one line.
#pragma once

#include <cstdint>
#include <vector>

#include "ncclwhy/report.h"
#include "parser/facts.h"

namespace ncclwhy {

// On each side; further away is another topic.
inline constexpr size_t kContextLines = 3;
inline constexpr uint32_t kContextDistance = 40;

// The nearest lines before and after `line` that the parser kept of this source.
std::vector<ContextLine> LinesAround(const SourceFacts& facts, uint32_t line);

}  // namespace ncclwhy

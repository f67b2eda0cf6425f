// Fingerprints: the same failure of the same job gets the same one in every run.
#pragma once

#include <string>
#include <string_view>

#include "ncclwhy/report.h"

namespace ncclwhy {

// `text` without what changes between runs: numbers (pids, times, ports, sizes, line numbers) become #, pointers and
// hexadecimal ids 0x#.
std::string WithoutNumbers(std::string_view text);

// Of the cause and the shape of its first direct evidence; 64 hexadecimal digits.
std::string Fingerprint(const Cause& cause);

}  // namespace ncclwhy

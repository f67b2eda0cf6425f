// Mutations that know what logs of NCCL look like: lines, headers of every era, numbers. Bytes alone seldom get past
// the header.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/check.h"

namespace ncclwhy::fuzz {

// `text` after one mutation, at most `most` bytes.
std::string MutateLog(std::string_view text, size_t most, Dice& dice);

// The lines of two logs mixed, each in its own order.
std::string InterleaveLogs(std::string_view a, std::string_view b, size_t most, Dice& dice);

}  // namespace ncclwhy::fuzz

// What the name of a file tells of the rank whose lines it holds.
#pragma once

#include <cstdint>
#include <string_view>

namespace ncclwhy {

// How a file name says its number: rank0.log, or worker-2.log, nccl.12.log, out_0003 and 3.log. The clearest comes
// first.
enum NumberKind : uint8_t { kRank, kBare };
struct NumberInName {
  int32_t number = -1;  // -1: it has none, or several
  NumberKind kind = kBare;
};

// By the last part of the path alone: logs/rank3/nccl.log has none. Numbers of more than six digits are times or jobs.
NumberInName NumberInFileName(std::string_view path);

// Its number alone.
int32_t RankInFileName(std::string_view path);

}  // namespace ncclwhy

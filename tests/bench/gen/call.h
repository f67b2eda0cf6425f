// Call: one collective of a rank, and the lines that NCCL prints about it.
#pragma once

#include <cstdint>
#include <string_view>

#include "gen/job.h"
#include "gen/printer.h"

namespace ncclwhy::bench {

struct Call {
  Group group = Group::kWorld;
  std::string_view function = "AllReduce";
  uint64_t count = 65536;
  int datatype = 7;
  int root = 0;
};

// What a correct program calls as number `index` on its world communicator.
Call WorldCall(uint64_t index);

// The COLL line, and with more verbosity what surrounds it. `op_count` counts the calls on that communicator.
void PrintCall(const Call& call, uint64_t op_count, Printer* printer);

}  // namespace ncclwhy::bench

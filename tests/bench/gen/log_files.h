// LogFiles: writes the logs of all ranks in the wanted layout: one file per rank, per host, or one for all.
#pragma once

#include <cstdint>

#include "gen/fault.h"
#include "ncclwhy/status.h"

namespace ncclwhy::bench {

struct Written {
  uint64_t files = 0, lines = 0, bytes = 0;
};

// Into spec.out, which must exist.
Result<Written> WriteLogs(const Job& job, const Fault& fault);

}  // namespace ncclwhy::bench

// The exit status of the command, as a function of the report: scripts and libraries agree on it.
#pragma once

#include "ncclwhy/export.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// 2: an input could not be read (the report holds what could); 1: a cause is named; 3: something failed, but the logs
// do not determine why; 0: analysed, nothing failed (also when no line is NCCL's).
NCCLWHY_EXPORT int ExitStatus(const Report& report);

}  // namespace ncclwhy

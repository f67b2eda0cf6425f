// The exit status of the command, as a function of the report: scripts and libraries agree on it.
#pragma once

#include "ncclwhy/export.h"
#include "ncclwhy/report.h"

namespace ncclwhy {

// 2: an input could not be read (the report holds what could); 1: a cause is named for a job that failed, hung or was
// stopped; 3: something failed, but the logs do not determine why; 0: analysed, nothing failed (also when it was
// degraded, or when no line is NCCL's). Of several jobs: the worst, 1 before 3 before 0.
NCCLWHY_EXPORT int ExitStatus(const Report& report);

// Verdicts that a strict caller wants to be 1 as well; what could not be read stays 2.
struct Strictness {
  bool degraded = false;
  bool undetermined = false;
};
NCCLWHY_EXPORT int ExitStatus(const Report& report, const Strictness& strictness);

}  // namespace ncclwhy

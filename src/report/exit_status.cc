#include "ncclwhy/exit_status.h"

namespace ncclwhy {

int ExitStatus(const Report& report) {
  if (!report.problems.empty()) return 2;
  switch (report.verdict) {
    case Verdict::kFailure:
      return 1;
    case Verdict::kUndetermined:
      return 3;
    case Verdict::kHealthy:
    case Verdict::kNoNccl:
      break;
  }
  return 0;
}

}  // namespace ncclwhy

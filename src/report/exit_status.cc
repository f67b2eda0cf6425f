#include "ncclwhy/exit_status.h"

#include <algorithm>

namespace ncclwhy {
namespace {

int StatusOf(Verdict verdict, const Strictness& strictness) {
  // 1 is for CI: a cause is named. 3: something failed and nobody knows why.
  switch (verdict) {
    case Verdict::kFailure:
      return 1;
    case Verdict::kUndetermined:
      return strictness.undetermined ? 1 : 3;
    case Verdict::kDegraded:
      return strictness.degraded ? 1 : 0;
    case Verdict::kHealthy:
    case Verdict::kNoNccl:
      break;
  }
  return 0;
}

// 1 before 3 before 0.
int Worse(int a, int b) { return a == 1 || b == 1 ? 1 : std::max(a, b); }

}  // namespace

int ExitStatus(const Report& report) { return ExitStatus(report, {}); }

int ExitStatus(const Report& report, const Strictness& strictness) {
  // What could not be read could hold anything.
  if (!report.problems.empty()) return 2;
  int status = StatusOf(report.verdict, strictness);
  for (const JobAnswer& job : report.jobs) status = Worse(status, StatusOf(job.verdict, strictness));
  return status;
}

}  // namespace ncclwhy

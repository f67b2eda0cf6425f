#include "analyze/answer_names.h"

namespace ncclwhy {

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFailure:
      return "failure";
    case Verdict::kHealthy:
      return "healthy";
    case Verdict::kUndetermined:
      return "undetermined";
    case Verdict::kDegraded:
      return "degraded";
    case Verdict::kNoNccl:
      break;
  }
  return "no-nccl";
}

std::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSucceeded:
      return "succeeded";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kHung:
      return "hung";
    case Outcome::kStopped:
      return "stopped";
    case Outcome::kUnknown:
      break;
  }
  return "unknown";
}

std::string_view ActionName(Action action) {
  switch (action) {
    case Action::kRerun:
      return "rerun";
    case Action::kRerunWithout:
      return "rerun-without";
    case Action::kFixFirst:
      return "fix-first";
    case Action::kUndecided:
      break;
  }
  return "undecided";
}

}  // namespace ncclwhy

// Slurm's step messages.
//   srun: error: node3: task 5: Killed      srun: error: node3: tasks 0-3: Exited with exit code 1
//   srun: error: node3: task 5: Segmentation fault (core dumped)
//   slurmstepd: error: Detected 1 oom_kill event in StepId=1234.0. Some of the step tasks have been OOM Killed.
//   slurmstepd: error: *** STEP 1234.0 ON node3 CANCELLED AT 2025-03-01T12:00:00 DUE TO TIME LIMIT ***
#include "parser/extract/extract.h"
#include "parser/scan.h"

namespace ncclwhy {

bool ExtractSlurm(const Extraction& x) {
  const std::string_view body = x.body();
  EventWriter e = x.Begin(EventKind::kSlurm);
  scan::Cursor c(body);
  c.Until(":");
  c.Literal(": error: ");
  scan::Cursor task = c;
  const std::string_view host = task.Until(": ");
  if (task.Literal(": task ") || task.Literal(": tasks ")) {
    e.Set(FieldId::kHost, host).Set(FieldId::kRank, task.Until(":"));
    task.Literal(": ");
    const std::string_view what = task.Rest();
    e.Set(FieldId::kExitCode, scan::WordAfter(what, "exit code "));
    if (!scan::StartsWith(what, "Exited")) e.Set(FieldId::kSignal, what);
  } else {
    e.Set(FieldId::kHost, scan::WordAfter(body, " ON "));
  }
  return true;
}

}  // namespace ncclwhy

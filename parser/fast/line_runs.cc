#include "parser/fast/line_runs.h"

#include "parser/facts_builder.h"
#include "parser/process_table.h"

namespace ncclwhy {

void LineRuns::Begin(uint32_t process, const OuterPrefix& outer, const TextPlace& place) {
  Run& run = runs_[process];
  if (run.outer == nullptr) {
    open_.push_back(process);
  } else {
    TellRun(process);
  }
  run.outer = &outer;
  run.first = place;
  run.lines = 0;
}

void LineRuns::TellRun(uint32_t process) {
  const Run& run = runs_[process];
  processes_->Link(process, *run.outer, run.lines);
  processes_->CountRun(process, run.first, run.last, run.lines);
}

void LineRuns::Tell() {
  for (const uint32_t process : open_) {
    TellRun(process);
    runs_[process] = {};
  }
  open_.clear();
  for (const uint32_t stream : open_calls_) {
    builder_->NoteLast(stream, calls_[stream].last, calls_[stream].from_call);
    calls_[stream] = {};
  }
  open_calls_.clear();
}

}  // namespace ncclwhy

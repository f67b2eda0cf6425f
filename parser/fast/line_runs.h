// LineRuns: lines that were taken at sight, counted for their processes and streams when all of a block are taken. Of
// a line that is the latest only until the next one comes nothing is copied.
#pragma once

#include <cstdint>
#include <vector>

#include "parser/parsed_line.h"

namespace ncclwhy {

class FactsBuilder;
class ProcessTable;

// Not thread-safe. All views and prefixes that it is given are borrowed until Tell.
class LineRuns {
 public:
  // Both are borrowed.
  LineRuns(ProcessTable* processes, FactsBuilder* builder) : processes_(processes), builder_(builder) {}

  // A line of `process` that came through the prefix `outer`.
  void Add(uint32_t process, const OuterPrefix& outer, const TextPlace& place) {
    if (process >= runs_.size()) runs_.resize(process + size_t{1});
    Run& run = runs_[process];
    if (run.outer != &outer) Begin(process, outer, place);
    ++run.lines;
    run.last = place;
  }
  // A call of the stream, FactsBuilder's number.
  void AddCall(uint32_t stream, bool from_call, const TextPlace& place) {
    if (stream >= calls_.size()) calls_.resize(stream + size_t{1});
    Call& call = calls_[stream];
    if (call.last.number == 0) open_calls_.push_back(stream);
    call = {place, from_call};
  }
  // Puts all into the facts, the processes in the order in which their first line came.
  void Tell();

 private:
  struct Run {
    const OuterPrefix* outer = nullptr;  // null: no line
    TextPlace first, last;
    uint32_t lines = 0;
  };
  struct Call {
    TextPlace last;  // its number 0: none
    bool from_call = false;
  };

  // With the first line of a process, or the first one behind another prefix.
  void Begin(uint32_t process, const OuterPrefix& outer, const TextPlace& place);
  void TellRun(uint32_t process);

  ProcessTable* processes_;
  FactsBuilder* builder_;
  std::vector<Run> runs_;  // by process
  std::vector<Call> calls_;
  std::vector<uint32_t> open_, open_calls_;
};

}  // namespace ncclwhy

// Diff: what differs between a run that worked and one that did not, as a value that every format renders.
//
//   Result<JobDiff> diff = Diff("monday/", "tuesday/", options);
//   std::cout << RenderDiff(diff.value(), "text", {}).value();
//
// Text of a log is *untrusted*: RenderDiff escapes it for its format.
//
// Thread safety: plain values; the functions may be called by any threads at once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ncclwhy/analyzer.h"
#include "ncclwhy/export.h"
#include "ncclwhy/report.h"
#include "ncclwhy/status.h"

namespace ncclwhy {

// One of the two runs.
struct DiffSide {
  std::string name;  // as given to Diff
  Verdict verdict = Verdict::kNoNccl;
  std::string cause;  // id of the first cause, or empty
  std::string title;  // of that cause
  double confidence = 0;
  std::vector<Culprit> culprits;
  Job job;
  Coverage coverage;
  std::vector<std::string> problems;
};

enum class DifferenceKind : uint8_t {
  kSetting,  // versions, variables, networks, paths, ranks, progress: `good` against `bad`
  kOnlyBad,  // a message that only the bad run printed
  kOnlyGood,
};

struct Difference {
  DifferenceKind kind = DifferenceKind::kSetting;
  std::string name;    // stable: nccl-version, environment, stage, message, …
  std::string label;   // in the reader's language; the variable for environment
  std::string good;    // settings
  std::string bad;     // settings
  std::string who;     // the ranks of BAD that are unlike GOOD, or those that printed the message; may be empty
  std::string file;    // a line that shows it, in the run that `kind` tells (BAD for settings); may be empty
  uint64_t line = 0;   // 1-based; 0: none
  std::string text;    // messages: the line
  uint64_t count = 1;  // messages: lines of this kind
  int weight = 0;      // how telling
};

struct JobDiff {
  DiffSide good, bad;
  std::vector<Difference> differences;  // by kind, the most telling first
  bool same() const { return differences.empty(); }
};

// Reads and analyses both runs: each a file, directory, archive, glob, or "-" (only one of them). What cannot be read
// becomes a problem of its side. Of `options`, database and redact have no meaning here and are refused.
NCCLWHY_EXPORT Result<JobDiff> Diff(const std::string& good, const std::string& bad, const AnalyzerOptions& options);

// `format`: text (one screen) or json (`ncclwhy.diff/1`, everything). Fails for any other name.
NCCLWHY_EXPORT Result<std::string> RenderDiff(const JobDiff& diff, std::string_view format,
                                              const ReportFormat& options);

}  // namespace ncclwhy

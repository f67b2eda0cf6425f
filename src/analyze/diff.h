// JobDiff: what differs between a run that worked and one that did not, as a value that every format of `ncclwhy diff`
// renders. Filled by analyze/job_diff.h; renderers compute nothing and escape the untrusted text of logs.
//
// Thread safety: plain values, pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ncclwhy/report.h"
#include "report/renderer.h"

namespace ncclwhy {

// One of the two runs.
struct DiffSide {
  std::string name;  // as given on the command line
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

// One screen: settings, messages, and how many more.
std::string RenderDiffText(const JobDiff& diff, const RenderOptions& options);
// `ncclwhy.diff/1`: everything.
std::string RenderDiffJson(const JobDiff& diff, const RenderOptions& options);

}  // namespace ncclwhy

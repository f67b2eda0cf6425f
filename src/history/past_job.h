// PastJob: what a history keeps of one report.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ncclwhy/status.h"

namespace ncclwhy {

struct PastJob {
  // The same for every report on the same run: NCCL's random id of its largest communicator, else the scheduler's job
  // id with the time of the first step, else a hash of what the report quotes.
  std::string key;
  int64_t ended = 0;  // seconds since 1970; of the last step with a date, as if it were UTC
  std::string verdict;
  std::string outcome;
  std::string cause;     // id of the first one; empty when none is named
  std::string decision;  // rerun, rerun-without, fix-first, undecided or empty
  double confidence = 0;
  // What took part, and what the first cause blames: {"host", "node17"}, {"device", "node17 mlx5_2"}, {"nccl",
  // "2.27.7"}, {"cuda_driver", "13000"}. Sorted, each once.
  std::vector<std::pair<std::string, std::string>> parts;
  std::vector<std::pair<std::string, std::string>> blamed;
};

// Whether `bytes` begin like a report of `--format json`.
bool LooksLikeReport(std::string_view bytes);

// The jobs of one report `ncclwhy.report/1`: one, or each of several. Names are clipped, lists bounded (limits below).
// `ended` is taken where the report has no date. Of several jobs in one report only the blamed hosts are known.
Result<std::vector<PastJob>> JobsOfReport(std::string_view json, int64_t ended);

// A host name, a version: longer ones are cut. Hosts and devices of one job: more are not kept.
inline constexpr size_t kPastNameBytes = 255;
inline constexpr size_t kPastParts = 65536;

}  // namespace ncclwhy

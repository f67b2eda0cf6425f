// GPU load: what nvidia-smi answered beside the log. A kernel of NCCL that waits for its peers keeps its GPU at 100 %
// and at little power; the GPU whose rank does not come stands at 0 %.
//   | N/A   34C    P0              92W / 400W |  71225MiB / 81920MiB |    100%      Default |
//   index, utilization.gpu [%], power.draw [W]      0, 100 %, 85.6 W
//   0, 0 % 1, 100 % 2, 100 % 3, 100 %
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "job/job_model.h"

namespace ncclwhy {

struct GpuLoad {
  Place place;
  std::string host;        // of the row's label or the heading above it; empty where neither tells
  int32_t gpu = -1;        // index on its host; -1: not told
  double busy = 0;         // per cent
  double watts = -1;       // -1: not told
  double most_watts = -1;  // its limit; -1: not told
};

// The loads that the side rows of one source tell, in their order. A row that tells no index is the next one.
std::vector<GpuLoad> GpuLoadsIn(const JobModel& model, SourceId source);

// GPUs of a job that nobody saw end, at full load though nothing was logged for ten minutes and many steps, or at
// little power, or beside one that does nothing.
struct Standing {
  std::vector<GpuLoad> loads;
  double silent = -1;  // seconds from the last line of the log to the table; -1: their times are not known
};
std::optional<Standing> StandsBusy(const JobModel& model);

}  // namespace ncclwhy

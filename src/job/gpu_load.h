// GPU load: what nvidia-smi answered beside the log. A kernel of NCCL that waits for its peers keeps its GPU at 100 %
// and at little power; the GPU whose rank does not come stands at 0 %.
//   | N/A   34C    P0              92W / 400W |  71225MiB / 81920MiB |    100%      Default |
//   index, utilization.gpu [%], power.draw [W]      0, 100 %, 85.6 W
//   0, 0 % 1, 100 % 2, 100 % 3, 100 %
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "job/job_model.h"

namespace ncclwhy {

struct GpuLoad {
  Place place;
  int32_t gpu = -1;        // index on its host; -1: not told
  double busy = 0;         // per cent
  double watts = -1;       // -1: not told
  double most_watts = -1;  // its limit; -1: not told
};

// The loads that the side rows of one source tell, in their order.
std::vector<GpuLoad> GpuLoadsIn(const JobModel& model, SourceId source);

// A table of GPUs at full load that was taken when the log had said nothing for ten minutes and many steps; for a
// minute and many steps where they take little power, or where one beside them does nothing. Nothing where any count is
// full, where they work hard, or where the times are not known: at full load and little power small batches are served,
// too, and an idle GPU may be nobody's.
std::optional<Place> BusyBesideSilence(const JobModel& model);

}  // namespace ncclwhy

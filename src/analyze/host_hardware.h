// What the lines of a host tell of its hardware, for rules that compare it with the paths that NCCL took.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "job/job_model.h"

namespace ncclwhy {

struct HardwareFact {
  std::string_view host;
  std::string_view kind;  // rdma-device, gdr-device (GPUDirect RDMA is enabled for it), gpu-path (a direct one)
  std::string value;      // mlx5_0:1; NVL, PIX or PXB
  Place place;
};

// Each once for a host, in the order of lines.
std::vector<HardwareFact> FindHardware(const JobModel& model);

}  // namespace ncclwhy

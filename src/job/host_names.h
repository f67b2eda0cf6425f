// One name for each host: the kernel, Slurm and torchelastic print the whole one, NCCL the part before its first dot.
//   Apr  1 10:11:05 node18.hpc.example.org kernel: …      node18:5511:5530 [0] NCCL INFO …      →   node18
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "parser/facts.h"

namespace ncclwhy {

// Whole name → short one, for whole names whose short one stands in the logs, too. Not where two whole names share it:
// master.job1.svc and master.job2.svc are two pods. Views into the facts.
std::map<std::string_view, std::string_view> ShortNamesOfHosts(const std::vector<const SourceFacts*>& sources);

}  // namespace ncclwhy

// Whose lines a file holds, by its name: the host or pod that tells it from the files beside it.
//   node0-h200-13.log  node1-h200-14.log         →   h200-13  h200-14
//   sft.algo-1.log  sft.algo-2.log               →   algo-1   algo-2
//   proc2-gpu-c12.log  dmesg-gpu-c12.txt  …      →   gpu-c12  gpu-c12
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ncclwhy {

// For each name a host, empty where none is told: numbers of ranks, jobs, attempts and processes are no hosts, nor is
// what all names have in common. All are empty unless there are two different ones.
std::vector<std::string> HostsInNames(const std::vector<std::string_view>& names);

// The one of `hosts`, which lines name, that stands in the file's name between other words; empty for none or several.
//   amd-b-dmesg.txt, kern.gx3.log      of amd-b, gx3
std::string KnownHostInName(std::string_view path, const std::vector<std::string>& hosts);

}  // namespace ncclwhy

// Places: what a host hangs on (switch, rack, block, zone), since no log of a job says it. Read from what schedulers
// and clusters print:
//   SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=node[01-16]        scontrol show topology, topology.conf
//   BlockName=b1 Nodes=node[01-18]                                topology.conf of the block plug-in
//   - switch: leaf1                                               topology.yaml; children: and blocks, too
//     nodes: node[01-16]
//   {"kind": "List", "items": [{"metadata": {"labels": …}}]}      kubectl get nodes -o json
//   NAME STATUS ROLES AGE VERSION LABELS                          kubectl get nodes --show-labels
//   node01 leaf1                                                  a table of one's own: host, place
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ncclwhy/status.h"

namespace ncclwhy {

struct HostPlace {
  std::string host;
  std::string place;  // "switch leaf1", "block b1", "topology.kubernetes.io/zone eu-1a": kind and name
  friend bool operator==(const HostPlace&, const HostPlace&) = default;
  friend auto operator<=>(const HostPlace&, const HostPlace&) = default;
};

// Sorted, each once; at most kPlaces. A host is under its switch and under those above it.
Result<std::vector<HostPlace>> PlacesOf(std::string_view text);
inline constexpr size_t kPlaces = size_t{1} << 20;

}  // namespace ncclwhy

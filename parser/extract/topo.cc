// Topology, GPUDirect, NVLS, multi-node NVLink, and the many INFO lines of initialisation that carry no state.
//   GPU Direct RDMA Enabled for GPU 1b000 / HCA 0 (distance 3 <= 4), read 1
//   NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'
//   NVLS multicast support is not available on dev 0      MNNVL busId 0x1b000 fabric UUID 0.0 cliqueId 0x0 state 0
//   healthMask 0x0
//   === System : maxBw 24.0 totalBw 24.0 ===      Setting affinity for GPU 0 to ffff
//   Pattern 4, crossNic 0, nChannels 2, bw 24.0/24.0, type NVL/PIX, sameChannels 1
//   2 coll channels, 2 collnet channels, 0 nvls channels, 2 p2p channels, 2 p2p channels per peer
#include "parser/extract/extract.h"
#include "parser/extract/heads.h"
#include "parser/scan.h"

namespace ncclwhy {
namespace {

using scan::Contains;
using scan::StartsWith;

constexpr std::string_view kTopology[] = {"Setting affinity",
                                          "threadThresholds",
                                          "Pattern ",
                                          "P2P Chunksize",
                                          "Check P2P Type",
                                          "CC Off",
                                          "CC On",
                                          "=== System",
                                          "==========",
                                          "CPU/",
                                          "+ ",
                                          "ncclTopo",
                                          "Could not enable P2P",
                                          "P2P not supported",
                                          "P2P is disabled",
                                          "GPU/",
                                          "Topology detection",
                                          "Attribute ",
                                          "Comm split",
                                          "CUDA Dev ",
                                          "Symmetric VA",
                                          "Affinity",
                                          "Ring ",
                                          "KV Convert",
                                          "Enabled NVLS",
                                          "Launch mode",
                                          "Using NCCL Low-latency",
                                          "Symmetric memory",
                                          "NCCL_NVLS",
                                          "Tree ",
                                          "Hop ",
                                          "peer query",
                                          "cuMem ",
                                          "Dmabuf",
                                          "CollNet ",
                                          "Coll ",
                                          "Latency/AlgBw",
                                          "Could not ",
                                          "Failed to open",
                                          "Max NTHREADS",
                                          "NVLink ",
                                          "Intra-node",
                                          "GDRCOPY",
                                          "Cannot initialize CollNet",
                                          "Communicator has ",
                                          "Sharp rank ",
                                          "TOPO/",
                                          "NCCL Inspector",
                                          "[debug",
                                          "Paths from ",
                                          "--",
                                          "ncclP2pSchedule",
                                          "group size",
                                          "Threads per block",
                                          "Created ",
                                          "Imported shareable",
                                          "Kernel version"};

constexpr Heads kTopologyHeads(kTopology);

// `2 coll channels, 2 collnet channels, 0 nvls channels, 2 p2p channels, 2 p2p channels per peer`, `/     Algorithm …`
bool IsTable(std::string_view body) {
  if (scan::IsDigit(body[0])) return Contains(body, "coll channels") || Contains(body, " : GPU/");
  if (Contains(body, "|") && Contains(body, " |")) return true;  // latency and bandwidth; blanks are everywhere
  return body[0] == ' ' || body[0] == '\t' || body[0] == '(' || body[0] == '|';
}

}  // namespace

Known ExtractTopo(const Extraction& x) {
  const std::string_view body = x.body();
  if (body.empty()) return Known::kNo;
  if (x.Has(MessageSign::kGdr)) {
    const bool enabled = StartsWith(scan::After(body, "GPU Direct RDMA "), "Enabled");
    std::string_view device = scan::WordAfter(body, "HCA ");
    if (const std::string_view quoted = scan::After(body, "'"); !quoted.empty()) {
      device = scan::Cursor(quoted).Until("'");
    }
    x.Begin(EventKind::kGdr).Set(FieldId::kDevice, device).Set(FieldId::kPhase, enabled ? "enabled" : "disabled");
    return Known::kYes;
  }
  if (StartsWith(body, "DMA-BUF is available")) {
    x.Begin(EventKind::kGdr).Set(FieldId::kPhase, "dmabuf");
    return Known::kYes;
  }
  if (x.Has(MessageSign::kNvls) &&
      (Contains(body.substr(0, 64), "NVLS") || Contains(body.substr(0, 64), "NVLink SHARP"))) {
    EventWriter e = x.Begin(EventKind::kNvls);
    if (Contains(body, "is not available")) {
      e.Set(FieldId::kPhase, "unavailable");
    } else if (Contains(body, "is available")) {
      e.Set(FieldId::kPhase, "available");
    }
    return Known::kYes;
  }
  if (StartsWith(body, "MNNVL ")) {
    x.Begin(EventKind::kMnnvl).Set(FieldId::kBusId, scan::WordAfter(body, "busId "));
    return Known::kYes;
  }
  if (x.line.header.level == LogLevel::kWarn) return Known::kNo;
  if (scan::IsDigit(body[0]) && Contains(body, " coll channels")) {
    x.Begin(EventKind::kInfo).Set(FieldId::kCount, scan::Cursor(body).Word());
    return Known::kYes;
  }
  // Behind a long dump of the topology, which uses up what a process may keep of kTopology.
  if (StartsWith(body, "Pattern ")) {
    if (const std::string_view type = scan::After(body, ", type "); !type.empty()) {
      x.Begin(EventKind::kInfo).Set(FieldId::kPath, scan::Cursor(type).Until(","));
      return Known::kYes;
    }
  }
  if (kTopologyHeads.Begin(body)) {
    x.Begin(EventKind::kTopology);
    return Known::kYes;
  }
  return IsTable(body) ? Known::kYes : Known::kNo;
}

}  // namespace ncclwhy

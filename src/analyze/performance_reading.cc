#include "analyze/performance_reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analyze/place_evidence.h"
#include "analyze/rank_traits.h"

namespace ncclwhy {
namespace {

// Of a host whose many GPUs share few of its many NICs.
constexpr size_t kManyRanks = 4;

struct HostView {
  std::set<std::string> rdma;          // listed RDMA devices
  std::set<std::string> gdr;           // devices for which GPUDirect RDMA is said to be enabled
  std::set<std::string> used;          // devices of its edges to other hosts
  std::set<int32_t> ranks_on_network;  // ranks with an edge to another host over RDMA
  std::string nvlink;                  // what lists a direct path between its GPUs: "NVL", "PIX", …
  Place listed, direct_path;
};

struct Pair {
  bool gdr = false;
  bool receiver = false;  // the receiving end printed its line
  const Edge* first = nullptr;
};

class Reading {
 public:
  Reading(const JobModel& model, Language language, Report* report)
      : model_(model), zh_(language == Language::kChinese), report_(report), rank_hosts_(HostsOfRanks(model)) {}

  void Run() {
    ReadHardware();
    ReadPaths();
    if (!Said("perf.socket-fallback")) SocketFallback();
    if (!Said("perf.no-p2p")) NoPeerToPeer();
    if (!Said("ib.gdr-unavailable")) NoGdr();
    if (!Said("perf.slow-fabric")) FewNics();
  }

 private:
  bool Said(std::string_view id) const {
    return std::any_of(report_->causes.begin(), report_->causes.end(), [&](const Cause& c) { return c.id == id; }) ||
           std::any_of(report_->warnings.begin(), report_->warnings.end(),
                       [&](const Warning& w) { return w.id == id; });
  }

  void Warn(const char* id, std::string text, const std::vector<Place>& places) {
    Warning w;
    w.id = id;
    w.text = std::move(text);
    for (const Place& p : places) {
      if (p.line != 0) w.evidence.push_back(PlaceEvidence(model_, p, "direct"));
    }
    report_->warnings.push_back(std::move(w));
  }

  // A path type of the graph search that needs no memory of the host: "type NVL/PIX" (between GPUs / to the NIC).
  static bool IsDirect(std::string_view type) { return type == "NVL" || type == "PIX" || type == "PXB"; }

  void ReadHardware() {
    for (uint32_t s = 0; s < model_.sources.size(); ++s) {
      const SourceFacts& f = *model_.sources[s];
      for (const Event& e : f.events) {
        const ProcessId id = model_.ProcessOf(SourceId{s}, e.process, e.launcher_rank);
        if (!id.valid()) continue;
        HostView& host = hosts_[model_.processes[id.value].host];
        const Place place{SourceId{s}, e.line, e.offset, f.Str(e.text)};
        if (e.kind == EventKind::kNetDevices && f.Get(e, FieldId::kNetwork) != "Socket") {
          for (const Nic& nic : ListedNics(f.Get(e, FieldId::kDevices))) host.rdma.insert(nic.name);
          if (!host.rdma.empty() && host.listed.line == 0) host.listed = place;
        } else if (e.kind == EventKind::kGdr && f.Get(e, FieldId::kPhase) == "enabled") {
          host.gdr.insert(std::string(f.Get(e, FieldId::kDevice)));
        } else if (e.kind == EventKind::kTopology && place.text.starts_with("+ NVL[") &&
                   place.text.find("GPU/") != std::string_view::npos) {
          SetDirect(host, "NVL", place);
        } else if (e.kind == EventKind::kInfo) {
          const std::string_view type = f.Get(e, FieldId::kPath);
          const std::string_view between_gpus = type.substr(0, type.find('/'));
          if (IsDirect(between_gpus)) SetDirect(host, between_gpus, place);
        }
      }
    }
  }

  static void SetDirect(HostView& host, std::string_view type, const Place& place) {
    if (!host.nvlink.empty()) return;
    host.nvlink = std::string(type);
    host.direct_path = place;
  }

  void ReadPaths() {
    for (const Edge& e : model_.edges) {
      const auto from = rank_hosts_.find({e.comm, e.from});
      const auto to = rank_hosts_.find({e.comm, e.to});
      if (from == rank_hosts_.end() || to == rank_hosts_.end() || e.from == e.to || !e.process.valid()) continue;
      const bool net = e.transport.starts_with("NET/");
      const bool socket = e.transport == "NET/Socket";
      const std::string_view own = model_.processes[e.process.value].host;
      if (from->second == to->second) {
        auto& paths = inside_[{e.comm, std::pair(std::min(e.from, e.to), std::max(e.from, e.to))}];
        paths.emplace_back(&e);
        continue;
      }
      if (socket) {
        ++sockets_;
        if (first_socket_ == nullptr) first_socket_ = &e;
      } else if (net) {
        ++rdma_;
        hosts_[own].used.insert(e.device);
        hosts_[own].ranks_on_network.insert(model_.processes[e.process.value].rank);
        Pair& pair = network_pairs_[{e.comm, e.from, e.to}];
        pair.gdr |= e.gdr;
        pair.receiver |= e.direction != 's';
        if (pair.first == nullptr) pair.first = &e;
      }
    }
  }

  void SocketFallback() {
    if (first_socket_ == nullptr) return;
    const auto listed =
        std::find_if(hosts_.begin(), hosts_.end(), [](const auto& entry) { return !entry.second.rdma.empty(); });
    if (listed == hosts_.end()) return;
    const std::string devices = fmt::format("{}", fmt::join(listed->second.rdma, " "));
    Warn("perf.socket-fallback",
         zh_ ? fmt::format("主机间 {} 条连接中有 {} 条走 TCP socket，而 {} 列出了 RDMA 设备 {}", sockets_ + rdma_,
                           sockets_, listed->first, devices)
             : fmt::format("{} of {} connections between hosts are TCP sockets, though {} lists RDMA devices {}",
                           sockets_, sockets_ + rdma_, listed->first, devices),
         {first_socket_->place, listed->second.listed});
  }

  // Pairs of GPUs of one host that have no channel by P2P.
  void NoPeerToPeer() {
    size_t network = 0;
    size_t memory = 0;
    const Edge* first_network = nullptr;
    const Edge* first_memory = nullptr;
    for (const auto& pair : inside_) {
      const auto& edges = pair.second;  // clang 14 captures no structured bindings
      const auto by = [&](std::string_view head) {
        const auto it =
            std::find_if(edges.begin(), edges.end(), [&](const Edge* e) { return e->transport.starts_with(head); });
        return it == edges.end() ? nullptr : *it;
      };
      if (by("P2P") != nullptr) continue;
      if (const Edge* shm = by("SHM"); shm != nullptr) {
        const auto host = hosts_.find(rank_hosts_.at({shm->comm, shm->from}));
        if (host == hosts_.end() || host->second.nvlink.empty()) continue;
        if (memory++ == 0) first_memory = shm;
      } else if (const Edge* net = by("NET/"); net != nullptr) {
        if (network++ == 0) first_network = net;
      }
    }
    if (first_network != nullptr) {
      Warn("perf.no-p2p",
           zh_ ? fmt::format("同一主机内的 {} 对 rank 经网络（{}）通信，例如 rank {} 与 rank {}", network,
                             first_network->transport, first_network->from, first_network->to)
               : fmt::format(
                     "{} pair{} of ranks inside a host talk{} through the network ({}), e.g. rank {} and rank {}",
                     network, network == 1 ? "" : "s", network == 1 ? "s" : "", first_network->transport,
                     first_network->from, first_network->to),
           {first_network->place});
    } else if (first_memory != nullptr) {
      const HostView& host = hosts_.at(rank_hosts_.at({first_memory->comm, first_memory->from}));
      Warn("perf.no-p2p",
           zh_ ? fmt::format("{} 对 GPU 经主机内存（SHM）通信，而拓扑显示它们由 {} 相连，例如 rank {} 与 rank {}",
                             memory, host.nvlink, first_memory->from, first_memory->to)
               : fmt::format("{} pair{} of GPUs exchange data through host memory (SHM), though the topology lists {} "
                             "between them, e.g. rank {} and rank {}",
                             memory, memory == 1 ? "" : "s", host.nvlink, first_memory->from, first_memory->to),
           {first_memory->place, host.direct_path});
    }
  }

  // The sender's side alone says little: without GPUDirect reads only the receiver prints /GDRDMA.
  void NoGdr() {
    size_t pairs = 0;
    size_t without = 0;
    const Edge* first = nullptr;
    for (const auto& [key, pair] : network_pairs_) {
      const HostView& host = hosts_[model_.processes[pair.first->process.value].host];
      if (host.gdr.empty() || !pair.receiver) continue;
      ++pairs;
      if (pair.gdr) continue;
      if (without++ == 0) first = pair.first;
    }
    if (first == nullptr) return;
    Warn("ib.gdr-unavailable",
         zh_ ? fmt::format("主机间 {} 对 rank 中有 {} 对未使用 GPUDirect RDMA，而网卡支持它，例如 rank {} → rank {}",
                           pairs, without, first->from, first->to)
             : fmt::format("{} of {} pairs of ranks between hosts do without GPUDirect RDMA, though it is enabled for "
                           "the adapters, e.g. rank {} -> rank {}",
                           without, pairs, first->from, first->to),
         {first->place});
  }

  void FewNics() {
    for (const auto& [name, host] : hosts_) {
      const size_t could = std::min(host.rdma.size(), host.ranks_on_network.size());
      if (host.ranks_on_network.size() < kManyRanks || host.used.empty() || host.used.size() * 2 >= could) continue;
      Warn("perf.slow-fabric",
           zh_ ? fmt::format("{} 的 {} 个 rank 只用了 {} 块网卡与其他主机通信，而该主机列出了 {} 块", name,
                             host.ranks_on_network.size(), host.used.size(), host.rdma.size())
               : fmt::format("{} ranks of {} reach other hosts through {} of its {} adapters",
                             host.ranks_on_network.size(), name, host.used.size(), host.rdma.size()),
           {host.listed});
      return;
    }
  }

  const JobModel& model_;
  const bool zh_;
  Report* report_;
  const RankHosts rank_hosts_;
  std::map<std::string_view, HostView> hosts_;
  std::map<std::pair<CommId, std::pair<int32_t, int32_t>>, std::vector<const Edge*>> inside_;
  std::map<std::tuple<CommId, int32_t, int32_t>, Pair> network_pairs_;
  const Edge* first_socket_ = nullptr;
  size_t sockets_ = 0;
  size_t rdma_ = 0;
};

}  // namespace

void AddPerformanceReading(const JobModel& model, Language language, Report* report) {
  Reading(model, language, report).Run();
}

}  // namespace ncclwhy

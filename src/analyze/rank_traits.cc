#include "analyze/rank_traits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace ncclwhy {
namespace {

struct TraitWords {
  std::string_view name, english, chinese;
};
constexpr std::array<TraitWords, kTraits> kTraitWords = {{
    {"nccl-version", "NCCL version", "NCCL 版本"},
    {"cuda-version", "CUDA version of NCCL", "NCCL 的 CUDA 版本"},
    {"driver-version", "CUDA driver version", "CUDA 驱动版本"},
    {"network", "network", "网络"},
    {"nics", "network devices", "网络设备"},
    {"nic-names", "names of network devices", "网络设备名称"},
    {"between-hosts", "transport between hosts", "主机间传输"},
    {"inside-host", "transport inside a host", "主机内传输"},
    {"gdr", "GPUDirect RDMA", "GPUDirect RDMA"},
    {"bootstrap-interface", "bootstrap interface", "bootstrap 网络接口"},
    {"bootstrap-subnet", "bootstrap subnet", "bootstrap 子网"},
    {"channels", "channels", "channel 数"},
    {"nvls", "NVLS multicast", "NVLS 多播"},
    {"mnnvl", "multi-node NVLink", "多节点 NVLink"},
}};

// "10.77.0.10" → "10.77.*.*": hosts of one network may be in different /24 nets, hardly in different /16 ones.
std::string Subnet(std::string_view address) {
  const size_t first = address.find('.');
  if (first != std::string_view::npos) {
    const size_t second = address.find('.', first + 1);
    return second == std::string_view::npos ? std::string() : std::string(address.substr(0, second)) + ".*.*";
  }
  const size_t group = address.find(':');
  if (group == std::string_view::npos || group == 0) return {};
  // "2001:db8:0:7::5" → "2001:db8::", "fe80::1" → "fe80::"
  const size_t next = address.find(':', group + 1);
  return std::string(address.substr(0, next == group + 1 ? group : next)) + "::";
}

std::string Joined(const std::set<std::string>& texts) { return fmt::format("{}", fmt::join(texts, ", ")); }

std::string_view Base(std::string_view transport) {
  constexpr std::string_view kGdrSuffix = "/GDRDMA";
  return transport.ends_with(kGdrSuffix) ? transport.substr(0, transport.size() - kGdrSuffix.size()) : transport;
}

// In passes: what processes say of themselves, then their lines, then their connections, which need all hosts.
class Reader {
 public:
  explicit Reader(const JobModel& model) : model_(model), out_(model.processes.size()) {}

  std::vector<RankTraits> Run() {
    for (const Process& p : model_.processes) ReadProcess(p);
    for (uint32_t s = 0; s < model_.sources.size(); ++s) ReadEvents(s);
    ReadEdges();
    std::vector<RankTraits> traits;
    for (size_t i = 0; i < out_.size(); ++i) {
      out_[i].process = model_.processes[i].id;
      if (!out_[i].values.empty()) traits.push_back(std::move(out_[i]));
    }
    return traits;
  }

 private:
  // The first line that tells a trait counts.
  void Set(ProcessId process, Trait trait, std::string text, const Place& place) {
    if (!text.empty()) out_[process.value].values.try_emplace(trait, TraitValue{std::move(text), place});
  }

  // 2 RoCE; the names alone, without their number, so that hosts whose devices are listed in another order agree.
  void ReadProcess(const Process& p) {
    const std::vector<Nic> nics = ListedNics(p.net.devices);
    if (nics.empty()) return;
    std::map<std::string, int> kinds;
    std::set<std::string> names;
    for (const Nic& nic : nics) {
      ++kinds[nic.kind];
      names.insert(nic.name);
    }
    std::string text;
    for (const auto& [kind, count] : kinds) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind);
    Set(p.id, Trait::kNics, text, {});
    Set(p.id, Trait::kNicNames, fmt::format("{}", fmt::join(names, " ")), {});
  }

  // Lines before the model's own fields, as a line shows it.
  void ReadEvents(uint32_t s) {
    const SourceFacts& f = *model_.sources[s];
    for (const Event& e : f.events) {
      const ProcessId id = model_.ProcessOf(SourceId{s}, e.process, e.launcher_rank);
      if (!id.valid()) continue;
      const Place place{SourceId{s}, e.line, e.offset, f.Str(e.text)};
      const auto field = [&](FieldId name) { return std::string(f.Get(e, name)); };
      switch (e.kind) {
        case EventKind::kVersion:
          Set(id, Trait::kNcclVersion, field(FieldId::kVersion), place);
          Set(id, Trait::kCudaVersion, field(FieldId::kCuda), place);
          break;
        case EventKind::kDriverVersion:
          Set(id, Trait::kDriverVersion, field(FieldId::kVersion), place);
          break;
        case EventKind::kBootstrapInterface:
          Set(id, Trait::kBootstrapInterface, field(FieldId::kInterface), place);
          Set(id, Trait::kBootstrapSubnet, Subnet(f.Get(e, FieldId::kAddress)), place);
          break;
        case EventKind::kNetDevices:
          AddPlace(id, Trait::kNics, place);
          AddPlace(id, Trait::kNicNames, place);
          break;
        case EventKind::kNetChoice:
          Set(id, Trait::kNetwork, field(FieldId::kNetwork), place);
          break;
        case EventKind::kNvls:
          Set(id, Trait::kNvls, field(FieldId::kPhase), place);
          break;
        case EventKind::kCommTopology: {
          const std::string_view value = f.Get(e, FieldId::kMnnvl);
          if (!value.empty()) Set(id, Trait::kMnnvl, value == "0" ? "off" : "on", place);
          break;
        }
        case EventKind::kInfo:  // "2 coll channels, 2 collnet channels, …"
          Set(id, Trait::kChannels, field(FieldId::kCount), place);
          break;
        default:
          break;
      }
    }
  }

  // The line that listed the devices, for what ReadProcess had from the model.
  void AddPlace(ProcessId process, Trait trait, const Place& place) {
    const auto it = out_[process.value].values.find(trait);
    if (it != out_[process.value].values.end() && it->second.place.line == 0) it->second.place = place;
  }

  // Which transports connect a process with other hosts, and a host within itself.
  void ReadEdges() {
    const RankHosts hosts = HostsOfRanks(model_);
    struct Paths {
      std::set<std::string> between;
      Place place;
      bool rdma = false;
      bool gdr = false;
    };
    std::map<ProcessId, Paths> paths;
    std::map<std::string_view, std::set<std::string>> inside;
    std::map<ProcessId, Place> inside_place;
    for (const Edge& e : model_.edges) {
      const auto from = hosts.find({e.comm, e.from});
      const auto to = hosts.find({e.comm, e.to});
      if (from == hosts.end() || to == hosts.end() || e.from == e.to || !e.process.valid()) continue;
      if (from->second == to->second) {
        inside[from->second].insert(std::string(Base(e.transport)));
        inside_place.try_emplace(e.process, e.place);
        continue;
      }
      Paths& p = paths[e.process];
      if (p.between.empty()) p.place = e.place;
      p.between.insert(std::string(Base(e.transport)));
      p.gdr |= e.gdr;
      // NET/Socket has no GPUDirect to be on or off.
      p.rdma |= e.transport.starts_with("NET/") && e.transport != "NET/Socket";
    }
    for (const auto& [process, p] : paths) {
      Set(process, Trait::kBetweenHosts, Joined(p.between), p.place);
      if (p.rdma) Set(process, Trait::kGdr, p.gdr ? "on" : "off", p.place);
    }
    // A rank may well reach one neighbour by P2P and another by shared memory: hosts are compared, not ranks.
    for (const auto& [process, place] : inside_place) {
      const auto it = inside.find(model_.processes[process.value].host);
      if (it != inside.end()) Set(process, Trait::kInsideHost, Joined(it->second), place);
    }
  }

  const JobModel& model_;
  std::vector<RankTraits> out_;
};

}  // namespace

std::string_view TraitName(Trait trait) { return kTraitWords[static_cast<size_t>(trait)].name; }

std::string_view TraitLabel(Trait trait, Language language) {
  const TraitWords& w = kTraitWords[static_cast<size_t>(trait)];
  return language == Language::kChinese ? w.chinese : w.english;
}

std::vector<RankTraits> ReadRankTraits(const JobModel& model) { return Reader(model).Run(); }

// Only of ranks that have a log.
RankHosts HostsOfRanks(const JobModel& model) {
  RankHosts hosts;
  for (const Communicator& c : model.communicators) {
    for (const Rank& r : c.ranks) {
      if (r.seen && r.rank >= 0 && !r.host.empty()) hosts.try_emplace({c.id, r.rank}, r.host);
    }
  }
  return hosts;
}

std::vector<Nic> ListedNics(std::string_view devices) {
  std::vector<Nic> nics;
  for (size_t at = 0; at < devices.size();) {
    const size_t end = std::min(devices.find(' ', at), devices.size());
    std::string_view word = devices.substr(at, end - at);
    at = end + 1;
    // "[0]={[0]" of merged devices
    while (!word.empty() && (word[0] == '[' || word[0] == '{' || word[0] == '=')) {
      const size_t close = word[0] == '[' ? word.find(']') : 0;
      word.remove_prefix(close == std::string_view::npos ? word.size() : close + 1);
    }
    while (!word.empty() && (word.back() == ',' || word.back() == '}')) word.remove_suffix(1);
    if (word.empty() || word.find(':') == std::string_view::npos) continue;
    if (word.ends_with('>')) {
      nics.push_back({std::string(word.substr(0, word.find(':'))), "Socket"});
      continue;
    }
    const size_t slash = word.rfind('/');
    nics.push_back({std::string(word.substr(0, slash)),
                    slash == std::string_view::npos ? "NIC" : std::string(word.substr(slash + 1))});
  }
  return nics;
}

}  // namespace ncclwhy

#include "analyze/host_hardware.h"

#include <set>
#include <tuple>

#include "analyze/rank_traits.h"

namespace ncclwhy {
namespace {

// A path type of the graph search that needs no memory of the host: "type NVL/PIX" (between GPUs / to the NIC).
bool IsDirect(std::string_view type) { return type == "NVL" || type == "PIX" || type == "PXB"; }

}  // namespace

std::vector<HardwareFact> FindHardware(const JobModel& model) {
  std::vector<HardwareFact> out;
  std::set<std::tuple<std::string_view, std::string_view, std::string>> known;
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& f = *model.sources[s];
    for (const Event& e : f.events) {
      const ProcessId id = model.ProcessOf(SourceId{s}, e.process, e.launcher_rank);
      if (!id.valid()) continue;
      const std::string_view host = model.processes[id.value].host;
      const Place place{SourceId{s}, e.line, e.offset, f.Str(e.text)};
      const auto add = [&](std::string_view kind, std::string value) {
        // Once for each host, whichever of its processes printed it.
        if (known.emplace(host, kind, value).second) out.push_back({host, kind, std::move(value), place});
      };
      // NET/Socket lists interfaces, which are none of RDMA's.
      if (e.kind == EventKind::kNetDevices && f.Get(e, FieldId::kNetwork) != "Socket") {
        for (const Nic& nic : ListedNics(f.Get(e, FieldId::kDevices))) add("rdma-device", nic.name);
      } else if (e.kind == EventKind::kGdr && f.Get(e, FieldId::kPhase) == "enabled") {
        add("gdr-device", std::string(f.Get(e, FieldId::kDevice)));
      } else if (e.kind == EventKind::kTopology && place.text.starts_with("+ NVL[") &&
                 place.text.find("GPU/") != std::string_view::npos) {
        add("gpu-path", "NVL");
        // `type NVL/PIX`: in front of the slash between GPUs, behind it to the network card.
      } else if (e.kind == EventKind::kInfo) {
        const std::string_view type = f.Get(e, FieldId::kPath);
        const std::string_view between_gpus = type.substr(0, type.find('/'));
        if (IsDirect(between_gpus)) add("gpu-path", std::string(between_gpus));
      }
    }
  }
  return out;
}

}  // namespace ncclwhy

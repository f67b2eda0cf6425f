#include "analyze/process_on_gpu.h"

#include <string>

#include "rules/engine/hit_index.h"

namespace ncclwhy {
namespace {

// NCCL's number of it: domain, bus, device and function without what stands between them, and without zeros in front.
std::string BusNumber(std::string_view bus_id) {
  std::string out;
  bool function = bus_id.find(':') == std::string_view::npos;  // NCCL's own: c3000
  for (const char c : bus_id) {
    function = function || c == '.';
    if (c == ':' || c == '.' || (out.empty() && c == '0')) continue;
    out += c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (!function) out += '0';
  return out;
}

}  // namespace

ProcessId ProcessOnGpu(const JobModel& model, std::string_view host, std::string_view bus_id) {
  // Without a host the number tells nothing where there are several: each has a GPU 1b000.
  if (bus_id.size() < 4 || (host.empty() && model.hosts.size() > 1)) return {};
  const std::string wanted = BusNumber(bus_id);
  ProcessId found;
  for (const Process& p : model.processes) {
    if (p.bus_id.empty() || BusNumber(p.bus_id) != wanted) continue;
    if (!host.empty() && !p.host.empty() && ShortHost(host) != ShortHost(p.host)) continue;
    // Two processes on it: which of them is meant is not told.
    if (found.valid()) return {};
    found = p.id;
  }
  return found;
}

const Rank* RankOnGpu(const JobModel& model, std::string_view host, std::string_view bus_id) {
  if (bus_id.size() < 4 || !model.largest.valid() || (host.empty() && model.hosts.size() > 1)) return nullptr;
  const std::string wanted = BusNumber(bus_id);
  const Rank* found = nullptr;
  for (const Rank& r : model.communicators[model.largest.value].ranks) {
    if (r.bus_id.empty() || BusNumber(r.bus_id) != wanted) continue;
    if (!host.empty() && !r.host.empty() && ShortHost(host) != ShortHost(r.host)) continue;
    if (found != nullptr && found->rank != r.rank) return nullptr;
    found = &r;
  }
  return found;
}

}  // namespace ncclwhy

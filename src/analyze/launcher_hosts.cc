#include "analyze/launcher_hosts.h"

#include "base/numbers.h"

namespace ncclwhy {

std::map<ProcessId, std::string> HostsByLauncher(const JobModel& model, const std::vector<EvidenceItem>& items) {
  std::map<int32_t, ProcessId> labelled;
  for (const Process& p : model.processes) {
    if (p.host.empty() && p.launcher_rank >= 0) labelled.try_emplace(p.launcher_rank, p.id);
  }
  std::map<ProcessId, std::string> hosts;
  if (labelled.empty()) return hosts;
  for (const EvidenceItem& item : items) {
    if (item.finding.role != Role::kContext || item.rule == nullptr || item.rule->sign.life != Life::kEnding) continue;
    const auto& fields = item.finding.fields;
    const auto rank = fields.find("culprit_rank");
    const auto host = fields.find("culprit_host");
    if (rank == fields.end() || host == fields.end() || host->second.empty()) continue;
    const auto it = labelled.find(ParseInt<int32_t>(rank->second).value_or(-1));
    if (it != labelled.end()) hosts.try_emplace(it->second, host->second);
  }
  return hosts;
}

}  // namespace ncclwhy

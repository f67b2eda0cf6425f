#include "analyze/launcher_hosts.h"

#include <algorithm>

#include "base/numbers.h"
#include "base/rank_list.h"

namespace ncclwhy {
namespace {

// No host has more.
constexpr size_t kMostTasks = 4096;

// What a launcher's line says of tasks: calls of(task, host).
//   srun: error: gpu-c: task 3: Killed      srun: error: gpu-c: tasks 8-11: Exited with exit code 1
template <typename Of>
void EachTask(const std::vector<EvidenceItem>& items, const Of& of) {
  for (const EvidenceItem& item : items) {
    if (item.finding.role != Role::kContext || item.rule == nullptr || item.rule->sign.life != Life::kEnding) continue;
    const auto& fields = item.finding.fields;
    const auto host = fields.find("culprit_host");
    if (host == fields.end() || host->second.empty()) continue;
    const auto rank = fields.find("culprit_rank");
    const std::string_view list = item.finding.Field(rank != fields.end() ? "culprit_rank" : "text");
    for (const int32_t task : ParseRankList(list, kMostTasks)) of(task, host->second);
  }
}

bool SaysTorchrun(const EvidenceItem& item) {
  const auto launcher = item.finding.fields.find("launcher");
  return launcher != item.finding.fields.end() && launcher->second == "torchrun";
}

}  // namespace

std::map<ProcessId, std::string> HostsByLauncher(const JobModel& model, const std::vector<EvidenceItem>& items) {
  // Several programs of one task print behind its label, one after the other.
  std::multimap<int32_t, ProcessId> labelled;
  for (const Process& p : model.processes) {
    if (p.host.empty() && p.launcher_rank >= 0) labelled.emplace(p.launcher_rank, p.id);
  }
  std::map<ProcessId, std::string> hosts;
  if (labelled.empty()) return hosts;
  EachTask(items, [&](int32_t task, const std::string& host) {
    const auto [first, last] = labelled.equal_range(task);
    for (auto it = first; it != last; ++it) hosts.try_emplace(it->second, host);
  });
  return hosts;
}

std::map<int32_t, std::string> HostsOfTasks(const JobModel& model, const std::vector<EvidenceItem>& items) {
  std::map<int32_t, std::string> hosts;
  if (std::any_of(items.begin(), items.end(), SaysTorchrun)) return hosts;
  EachTask(items, [&](int32_t task, const std::string& host) {
    if (task >= 0) hosts.try_emplace(task, host);
  });
  for (const Process& p : model.processes) {
    // A process that is of this rank stands on another host: tasks are no ranks here, and no host can be told by them.
    const auto it = p.rank < 0 || p.host.empty() ? hosts.end() : hosts.find(p.rank);
    if (it != hosts.end() && it->second != p.host) return {};
  }
  return hosts;
}

}  // namespace ncclwhy

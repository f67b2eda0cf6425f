#include "rules/engine/one_host.h"

#include <algorithm>

namespace ncclwhy {

bool IsOnOneHost(const JobModel& model) {
  const auto smaller = [](const Communicator& a, const Communicator& b) { return a.nranks < b.nranks; };
  const auto largest = std::max_element(model.communicators.begin(), model.communicators.end(), smaller);
  if (largest == model.communicators.end() || largest->nranks < 1) return false;
  std::string_view host;
  for (const Process& p : model.processes) {
    if (!host.empty() && !p.host.empty() && p.host != host) return false;
    if (host.empty()) host = p.host;
  }
  //    comm 0x5581 rank 0 nRanks 2 nNodes 1 localRanks 2
  return largest->nnodes > 0 ? largest->nnodes == 1 : !host.empty() && largest->ranks_seen == largest->nranks;
}

void DropBetweenHosts(const RuleList& rules, const JobModel& model, std::vector<Finding>* findings) {
  const auto is_so = [&](const Finding& f) { return rules[f.rule.value].between_hosts; };
  if (std::none_of(findings->begin(), findings->end(), is_so) || !IsOnOneHost(model)) return;
  findings->erase(std::remove_if(findings->begin(), findings->end(), is_so), findings->end());
}

}  // namespace ncclwhy

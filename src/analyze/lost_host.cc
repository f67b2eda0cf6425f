#include "analyze/lost_host.h"

namespace ncclwhy {

std::string LostHost(const JobModel& model, const std::vector<EvidenceItem>& items) {
  std::string found;
  for (const EvidenceItem& item : items) {
    if (item.survived || item.finding.role != Role::kSecondary || item.rule == nullptr ||
        item.rule->blame != Blame::kPeer)
      continue;
    for (const char* name : {"peer_host", "peer", "address"}) {
      const auto field = item.finding.fields.find(name);
      if (field == item.finding.fields.end()) continue;
      const std::string_view owner = model.ResolveAddress(field->second).host;
      const std::string host(owner.empty() ? std::string_view(field->second) : owner);
      if (host == item.finding.host) continue;
      // Peers on two hosts are missed: which of them was lost first, or whether the network was, is not told here.
      if (!found.empty() && found != host) return {};
      found = host;
    }
  }
  return found;
}

}  // namespace ncclwhy

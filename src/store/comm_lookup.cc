#include "store/comm_lookup.h"

#include <algorithm>

namespace ncclwhy {

CommLookup::CommLookup(const JobModel& model) {
  for (const Communicator& c : model.communicators) {
    for (const Rank& r : c.ranks) {
      if (!r.process.valid() || r.comm.empty()) continue;
      entries_[{r.process.value, r.comm}].push_back({{c.id, r.rank}, r.init_start});
    }
  }
  for (auto& [key, entries] : entries_) {
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.start.source, a.start.line) < std::pair(b.start.source, b.start.line);
    });
  }
}

CommLookup::Found CommLookup::Find(ProcessId process, std::string_view comm, SourceId source, uint32_t line) const {
  if (!process.valid() || comm.empty()) return {};
  const auto it = entries_.find({process.value, comm});
  if (it == entries_.end()) return {};
  // Where the line stands in front of every beginning in its source, or the beginning is in another file, the first one
  // is meant: nearly always there is only one.
  const Entry* best = &it->second.front();
  for (const Entry& e : it->second) {
    if (e.start.source == source && e.start.line <= line) best = &e;
  }
  return best->found;
}

}  // namespace ncclwhy

#include "analyze/silent_rank.h"

#include <algorithm>
#include <set>

#include "base/numbers.h"
#include "rules/engine/resolve.h"

namespace ncclwhy {
namespace {

constexpr int64_t kMostRanks = 4096;

void AddRanks(std::string_view list, std::set<int32_t>* ranks) {
  while (!list.empty()) {
    const size_t begin = list.find_first_not_of(' ');
    if (begin == std::string_view::npos) return;
    const size_t end = std::min(list.find(' ', begin), list.size());
    if (const auto rank = ParseInt<int32_t>(list.substr(begin, end - begin))) ranks->insert(*rank);
    list.remove_prefix(end);
  }
}

}  // namespace

int32_t SilentRank(const JobModel& model, const std::vector<EvidenceItem>& items) {
  std::set<int32_t> waiting;
  int64_t size = model.largest.valid() ? model.communicators[model.largest.value].nranks : -1;
  int64_t said = -1;
  for (const EvidenceItem& item : items) {
    const auto& fields = item.finding.fields;
    if (const auto it = fields.find(std::string(kWaitingRanks)); it != fields.end()) AddRanks(it->second, &waiting);
    const auto world = fields.find("nranks");
    if (world != fields.end()) said = std::max(said, ParseInt<int64_t>(world->second).value_or(-1));
  }
  if (waiting.empty()) return -1;
  if (size < 0) size = said;
  if (size < 0) {
    size = int64_t{*waiting.rbegin()} + 1;
    for (const Process& p : model.processes) size = std::max<int64_t>(size, int64_t{p.rank} + 1);
  }
  // Only where exactly one is left over: with two silent ranks nobody knows which holds up the others.
  if (size > kMostRanks || *waiting.rbegin() >= size || static_cast<int64_t>(waiting.size()) != size - 1) return -1;
  int32_t silent = 0;
  while (waiting.contains(silent)) ++silent;
  return silent;
}

int32_t MissingRank(const std::vector<EvidenceItem>& items) {
  int64_t world = -1;
  std::set<int32_t> complain;
  for (const EvidenceItem& item : items) {
    const auto number = [&](const char* name) {
      const auto it = item.finding.fields.find(name);
      return it == item.finding.fields.end() ? -1 : ParseInt<int64_t>(it->second).value_or(-1);
    };
    if (number("ranks_seen") > 0 && number("ranks_seen") + 1 == number("nranks")) world = number("nranks");
    const Role role = item.finding.role;
    const bool complains = role == Role::kRoot || role == Role::kSymptom || role == Role::kSecondary;
    if (complains && item.finding.rank >= 0) complain.insert(item.finding.rank);
  }
  if (world > kMostRanks || complain.empty() || *complain.rbegin() >= world) return -1;
  if (static_cast<int64_t>(complain.size()) + 1 != world) return -1;
  int32_t missing = 0;
  while (complain.contains(missing)) ++missing;
  return missing;
}

}  // namespace ncclwhy

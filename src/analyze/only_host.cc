#include "analyze/only_host.h"

#include <algorithm>
#include <set>

#include "job/source_names.h"
#include "rules/engine/hit_index.h"

namespace ncclwhy {
namespace {

// Both ends of a connection may complain, or one; who ends a job from outside is on no host of it.
bool TellsNoHost(std::string_view cause) { return cause.starts_with("net.") || cause.starts_with("stopped."); }

std::set<std::string> HostsOf(const JobModel& model) {
  std::set<std::string> hosts;
  for (const std::string& host : model.hosts) hosts.insert(std::string(ShortHost(host)));
  for (const std::string& host : model.source_hosts) {
    if (!host.empty()) hosts.insert(std::string(ShortHost(host)));
  }
  return hosts;
}

}  // namespace

std::string HostOfFinding(const JobModel& model, const Finding& f) {
  if (!f.host.empty()) return f.host;
  if (f.process.valid() && !model.processes[f.process.value].host.empty()) {
    return std::string(model.processes[f.process.value].host);
  }
  const std::string* named = nullptr;
  for (const std::string& host : model.hosts) {
    if (!NameHolds(f.text, host)) continue;
    if (named != nullptr) return {};
    named = &host;
  }
  if (named != nullptr) return *named;
  return f.source.valid() ? model.source_hosts[f.source.value] : std::string();
}

bool BlameOnlyHost(const JobModel& model, const std::vector<EvidenceItem>& items, const Hypothesis& hypothesis,
                   bool waits, Language language, Cause* cause) {
  if (!cause->culprits.empty() || TellsNoHost(hypothesis.cause)) return false;
  const std::set<std::string> all = HostsOf(model);
  if (all.size() < 2) return false;
  std::set<std::string> shown;
  for (const size_t n : hypothesis.evidence) {
    const EvidenceItem& item = items[n];
    const bool alarm = item.finding.role == Role::kRoot || item.finding.role == Role::kSymptom;
    if (!alarm || item.finding.line == 0) continue;
    const std::string host = HostOfFinding(model, item.finding);
    if (!host.empty()) shown.insert(std::string(ShortHost(host)));
  }
  std::set<std::string> silent;
  std::set_difference(all.begin(), all.end(), shown.begin(), shown.end(), std::inserter(silent, silent.end()));
  const std::set<std::string>& found = waits ? silent : shown;
  if (shown.empty() || found.size() != 1) return false;
  const bool zh = language == Language::kChinese;
  Culprit c;
  c.host = *found.begin();
  c.why = waits ? (zh ? "其他主机都在等待，只有它没有" : "all other hosts wait, only this one does not")
                : (zh ? "只有这台主机上出现该故障" : "of all hosts only this one shows the failure");
  cause->culprits.push_back(std::move(c));
  return true;
}

}  // namespace ncclwhy

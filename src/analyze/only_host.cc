#include "analyze/only_host.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyze/launcher_hosts.h"
#include "base/text.h"
#include "job/source_names.h"
#include "rules/engine/hit_index.h"

namespace ncclwhy {
namespace {

std::set<std::string> HostsOf(const JobModel& model) {
  std::set<std::string> hosts;
  for (const std::string& host : model.hosts) hosts.insert(std::string(ShortHost(host)));
  for (const std::string& host : model.source_hosts) {
    if (!host.empty()) hosts.insert(std::string(ShortHost(host)));
  }
  // What was asked of several hosts, one after the other:   -- ct-203 (10.4.0.23)
  for (const auto& of : model.headings) {
    for (const HostHeading& heading : of) hosts.insert(std::string(ShortHost(heading.host)));
  }
  return hosts;
}

// Whether ranks are known there, or the host differs from another that has some in numbers only. Who only submits or
// launches is silent, too.
//   worker-0 and worker-1 complain; worker-2 may have held them up, launcher-0 did not
bool HasRanks(const JobModel& model, const std::string& host, const std::set<std::string>& others) {
  const auto is_there = [&](const Process& p) { return ShortHost(p.host) == host; };
  if (std::any_of(model.processes.begin(), model.processes.end(), is_there)) return true;
  const auto letters = [](std::string name) {
    std::erase_if(name, IsDigit);
    return name;
  };
  return std::any_of(others.begin(), others.end(), [&](const std::string& o) { return letters(o) == letters(host); });
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

std::optional<Culprit> OnlyHost(const CaseFile& c, const Hypothesis& hypothesis) {
  std::set<std::string> all = HostsOf(c.model);
  //   1: ImportError: libnccl.so.2: …      srun: error: node7: task 1: Exited with exit code 1
  const std::map<ProcessId, std::string> by_launcher = HostsByLauncher(c.model, c.items);
  for (const auto& [process, host] : by_launcher) all.insert(std::string(ShortHost(host)));
  const CauseTraits traits = c.kb.TraitsOf(hypothesis.cause);
  // Who ends a job from outside is on no host of it; a machine that is taken is.
  const bool from_outside = traits.kind == CauseKind::kStop && !traits.takes_machine;
  if (all.size() < 2 || traits.both_ends || from_outside) return std::nullopt;
  std::set<std::string> shown;
  for (const size_t n : hypothesis.evidence) {
    const EvidenceItem& item = c.items[n];
    // A counter of the host's own, of which a rule says whose it is:   oom_kill 2
    const bool counted =
        item.finding.role == Role::kContext && item.rule != nullptr && item.rule->blame == Blame::kHost;
    const bool alarm = item.finding.role == Role::kRoot || item.finding.role == Role::kSymptom || counted;
    if (!alarm || item.finding.line == 0) continue;
    // What a kernel says of its host accuses it: "INFO: task python:5606 blocked for more than 120 seconds."
    if (traits.waits && item.rule != nullptr && item.rule->blame == Blame::kHost) continue;
    std::string host = HostOfFinding(c.model, item.finding);
    const auto told = host.empty() ? by_launcher.find(item.finding.process) : by_launcher.end();
    if (told != by_launcher.end()) host = told->second;
    if (!host.empty()) shown.insert(std::string(ShortHost(host)));
  }
  std::set<std::string> silent;
  std::set_difference(all.begin(), all.end(), shown.begin(), shown.end(), std::inserter(silent, silent.end()));
  std::erase_if(silent, [&](const std::string& host) { return !HasRanks(c.model, host, shown); });
  const bool waits = traits.waits;
  const std::set<std::string>& found = waits ? silent : shown;
  if (shown.empty() || found.size() != 1) return std::nullopt;
  Culprit out;
  out.host = *found.begin();
  out.why = waits ? (c.chinese() ? "其他主机都在等待，只有它没有" : "all other hosts wait, only this one does not")
                  : (c.chinese() ? "只有这台主机上出现该故障" : "of all hosts only this one shows the failure");
  return out;
}

std::optional<Culprit> HostOfKernelLog(const CaseFile& c, const Hypothesis& hypothesis) {
  std::set<std::string> hosts;
  for (const size_t n : hypothesis.evidence) {
    const EvidenceItem& item = c.items[n];
    if (item.rule == nullptr || item.rule->blame != Blame::kHost || !item.finding.source.valid()) continue;
    if (item.finding.host.empty()) hosts.insert(c.model.source_hosts[item.finding.source.value]);
  }
  hosts.erase("");
  if (hosts.size() != 1) return std::nullopt;
  Culprit out;
  out.host = *hosts.begin();
  out.why = c.chinese() ? "内核日志指向它" : "its kernel's log tells of it";
  return out;
}

}  // namespace ncclwhy

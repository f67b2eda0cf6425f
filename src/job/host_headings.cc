#include "job/host_headings.h"

#include <algorithm>
#include <map>
#include <set>

namespace ncclwhy {
namespace {

std::set<std::string_view> KnownHosts(const JobModel& model) {
  std::set<std::string_view> known(model.hosts.begin(), model.hosts.end());
  known.insert(model.source_hosts.begin(), model.source_hosts.end());
  return known;
}

}  // namespace

void FindHostHeadings(JobModel& model) {
  model.headings.resize(model.sources.size());
  std::set<std::string_view> known;  // filled when the first heading asks; most jobs have none
  for (size_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& facts = *model.sources[s];
    std::map<std::string_view, std::set<std::string_view>> names;  // by form
    for (const Event& e : facts.events) {
      if (e.kind == EventKind::kHostHeading) names[facts.Get(e, FieldId::kPhase)].insert(facts.Get(e, FieldId::kHost));
    }
    if (names.empty()) continue;
    if (known.empty()) known = KnownHosts(model);
    for (const Event& e : facts.events) {
      if (e.kind != EventKind::kHostHeading) continue;
      const std::string_view form = facts.Get(e, FieldId::kPhase), host = facts.Get(e, FieldId::kHost);
      // Who asks a host by name has its answer from there:   $ ssh ds-b py-spy dump --pid 7703
      const bool certain = form == "described" || form == "ssh";
      if (!certain && names[form].size() < 2 && !known.contains(model.NameOfHost(host))) continue;
      model.headings[s].push_back({e.line, std::string(model.NameOfHost(host))});
    }
  }
}

std::string_view JobModel::HostAt(SourceId source, uint32_t line) const {
  constexpr uint32_t kReach = 400;  // lines; what follows a few commands by hand may be the job's own output
  if (!source.valid() || source.value >= headings.size()) return {};
  const std::vector<HostHeading>& of = headings[source.value];
  const auto behind =
      std::upper_bound(of.begin(), of.end(), line, [](uint32_t l, const HostHeading& h) { return l < h.line; });
  if (behind == of.begin()) return {};
  const HostHeading& heading = *std::prev(behind);
  return line <= heading.line + kReach ? std::string_view(heading.host) : std::string_view();
}

}  // namespace ncclwhy

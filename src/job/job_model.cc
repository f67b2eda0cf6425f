#include "job/job_model.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "job/address_book.h"
#include "job/collective_compare.h"
#include "job/communicator_tracker.h"
#include "job/host_headings.h"
#include "job/host_names.h"
#include "job/job_groups.h"
#include "job/process_tracker.h"
#include "job/source_hosts.h"

namespace ncclwhy {
namespace {

// A process whose last line is neither teardown nor an exit message was stopped from outside, or died without a word.
void MarkSilentEnds(JobModel& model) {
  for (Process& p : model.processes) {
    p.log_just_ends = p.known() && !p.recorded_only && !p.aborted && !p.destroyed;
  }
  for (size_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& f = *model.sources[s];
    for (const Event& e : f.events) {
      switch (e.kind) {
        case EventKind::kPythonException:
        case EventKind::kTorchError:
        case EventKind::kTorchWatchdog:
        case EventKind::kSignal: {
          const ProcessId id = model.ProcessOf(SourceId{static_cast<uint32_t>(s)}, e.process, e.launcher_rank);
          if (id.valid()) model.processes[id.value].log_just_ends = false;
          break;
        }
        default:
          break;
      }
    }
  }
}

// ibstat-sx3.txt beside ibstat-sx1.txt is of sx3, if ranks say that they run on sx1: the rest is the tool's name.
void DropToolNames(JobModel& model) {
  std::set<std::string> tools;  // what stands in front of a known host
  for (const std::string& told : model.source_hosts) {
    for (const std::string& host : model.hosts) {
      const size_t front = told.size() - std::min(host.size() + 1, told.size());
      // `ibstat-sx1` has `ibstat-` in front of the known host sx1.
      if (front > 0 && told.ends_with(host) && !IsAlnum(told[front])) tools.insert(told.substr(0, front + 1));
    }
  }
  for (std::string& told : model.source_hosts) {
    const auto stands = [&told](const std::string& tool) {
      return told.size() > tool.size() && told.starts_with(tool);
    };
    const auto tool = std::find_if(tools.begin(), tools.end(), stands);
    const bool known = std::find(model.hosts.begin(), model.hosts.end(), told) != model.hosts.end();
    if (tool != tools.end() && !known) told.erase(0, tool->size());
  }
}

// One host of all processes of a source, else what its name tells.
void FindSourceHosts(JobModel& model) {
  std::vector<std::string_view> names;
  for (const SourceFacts* source : model.sources) names.push_back(source->name);
  model.source_hosts = HostsInNames(names);
  for (size_t s = 0; s < model.sources.size(); ++s) {
    std::set<std::string_view> hosts;
    for (const ProcessId id : model.process_of[s]) {
      if (id.valid() && !model.processes[id.value].host.empty()) hosts.insert(model.processes[id.value].host);
    }
    if (hosts.size() == 1) model.source_hosts[s] = std::string(*hosts.begin());
    // Lines of several hosts: the file is of none.
    if (hosts.size() > 1) model.source_hosts[s].clear();
    if (!hosts.empty()) continue;
    // gpu3-dmesg.txt: the name holds that of a host which lines name.
    std::string& told = model.source_hosts[s];
    if (std::find(model.hosts.begin(), model.hosts.end(), told) != model.hosts.end()) continue;
    if (std::string host = KnownHostInName(names[s], model.hosts); !host.empty()) told = std::move(host);
  }
  DropToolNames(model);
}

}  // namespace

ProcessId JobModel::ProcessOf(SourceId source, uint32_t process_index, int32_t launcher_rank) const {
  if (!source.valid() || source.value >= process_of.size()) return {};
  // The process of the line itself, else that of its label, else the only one of the source.
  if (process_index != kNoProcess && process_index < process_of[source.value].size()) {
    const ProcessId id = process_of[source.value][process_index];
    if (id.valid()) return id;
  }
  if (launcher_rank >= 0) {
    const auto& launchers = launcher_of[source.value];
    if (const auto it = launchers.find(launcher_rank); it != launchers.end()) return it->second;
  }
  const ProcessId only = only_process_of[source.value];
  // [rank21]: RuntimeError: …      of another than the one rank of that host which speaks NCCL
  if (launcher_rank >= 0 && RankOf(only) >= 0 && RankOf(only) != launcher_rank) return {};
  // `hgx-13: Traceback …` of pdsh is not the launcher's, who has no label.
  const std::vector<ProcessFacts>& facts = sources[source.value]->processes;
  if (only.valid() && process_index < facts.size() && facts[process_index].host.valid() &&
      NameOfHost(sources[source.value]->Str(facts[process_index].host)) != processes[only.value].host) {
    return {};
  }
  return only;
}

std::string_view JobModel::NameOfHost(std::string_view told) const {
  const auto named = short_names.find(told);
  return named == short_names.end() ? told : named->second;
}

int32_t JobModel::RankOf(ProcessId process) const {
  return process.valid() && process.value < processes.size() ? processes[process.value].rank : -1;
}

int32_t JobModel::RankOfLabel(SourceId source, int32_t label, std::string_view* host) const {
  if (!source.valid() || source.value >= under_label.size()) return label;
  const auto speaking = under_label[source.value].find(label);
  if (speaking == under_label[source.value].end()) return label;
  // All that speak under a label: with one rank it is the same one started again, with one host a node's label.
  const Process& first = processes[speaking->second.begin()->value];
  bool one_rank = true, one_host = true;
  for (const ProcessId id : speaking->second) {
    one_rank = one_rank && processes[id.value].rank == first.rank;
    one_host = one_host && processes[id.value].host == first.host;
  }
  if (one_rank) return label;  // the same rank, started again
  if (one_host) *host = first.host;
  return -1;
}

// In this order: communicators need processes, the address book both; hosts of sources need all three.
JobModel BuildJobModel(const std::vector<const SourceFacts*>& sources) {
  JobModel model;
  model.sources = sources;
  // By name: everything that follows is numbered in that order, whichever file was read first.
  std::stable_sort(model.sources.begin(), model.sources.end(),
                   [](const SourceFacts* a, const SourceFacts* b) { return a->name < b->name; });
  model.short_names = ShortNamesOfHosts(model.sources);
  TrackProcesses(model);
  TrackCommunicators(model);
  for (Communicator& c : model.communicators) CompareCollectives(c);
  BuildAddressBook(model);
  NameHostsOfAddresses(model);
  MarkSilentEnds(model);
  FindSourceHosts(model);
  FindHostHeadings(model);
  GroupJobs(model);
  return model;
}

}  // namespace ncclwhy

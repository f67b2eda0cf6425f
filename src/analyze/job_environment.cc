#include "analyze/job_environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/limits.h"
#include "base/text.h"
#include "job/pod_nodes.h"

namespace ncclwhy {
namespace {

constexpr std::string_view kFamily = "environment";
// Facts that sort jobs into kinds: only their values are words.
constexpr std::string_view kKinds[] = {"cloud", "container", "fabric", "framework", "launcher", "scheduler"};

// The container's id, which Docker makes the host name: 3f1c9a77be02.
bool IsContainerId(std::string_view host) {
  return host.size() == 12 && host.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
         host.find_first_of("0123456789") != std::string_view::npos;
}

// Names that controllers give to pods: job-worker-0, serve-7d5c9f6b4-x2k8p.
bool IsPodName(std::string_view host) {
  const size_t dash = host.find_last_of('-');
  if (dash == std::string_view::npos || dash == 0) return false;
  const std::string_view last = host.substr(dash + 1);
  const std::string_view before = host.substr(0, dash);
  const std::string_view role = before.substr(before.find_last_of('-') + 1);
  if (before.find('-') == std::string_view::npos) return false;
  if (last.find_first_not_of("0123456789") == std::string_view::npos && !last.empty()) {
    return role == "worker" || role == "master" || role == "launcher" || role == "leader";
  }
  // Kubernetes draws from letters and digits that make no words.
  constexpr std::string_view kDrawn = "bcdfghjklmnpqrstvwxz2456789";
  return last.size() == 5 && role.size() >= 8 && role.size() <= 10 &&
         last.find_first_not_of(kDrawn) == std::string_view::npos &&
         role.find_first_not_of(kDrawn) == std::string_view::npos;
}

class Collector {
 public:
  Collector(const JobModel& model, JobEnvironment* out) : model_(model), out_(out) {}

  void Add(std::string_view name, std::string_view value, SourceId source = {}, uint32_t line = 0) {
    if (name.empty() || value.empty()) return;
    const auto key = std::make_pair(std::string(name), std::string(value));
    const auto it = seen_.find(key);
    if (it == seen_.end() && seen_.size() >= limits::kEnvironmentFacts) return;
    // The first place by source and line.
    if (it == seen_.end()) {
      seen_[key] = {source, line};
    } else if (line > 0 && (it->second.second == 0 || std::pair(source, line) < it->second)) {
      it->second = {source, line};
    }
  }

  bool Knows(std::string_view name) const {
    const auto it = seen_.lower_bound({std::string(name), {}});
    return it != seen_.end() && it->first.first == name;
  }

  void Finish() {
    for (const auto& [fact, place] : seen_) {
      const bool there = place.first.valid() && place.second > 0;
      out_->facts.push_back({fact.first, fact.second, there ? model_.sources[place.first.value]->name : std::string(),
                             there ? place.second : 0});
    }
  }

 private:
  const JobModel& model_;
  JobEnvironment* out_;
  std::map<std::pair<std::string, std::string>, std::pair<SourceId, uint32_t>> seen_;
};

// Whether others may reach it: not 127.0.0.1, fe80::1, 169.254.3.4, or Docker's bridge.
bool MayBeReached(std::string_view interface, std::string_view address) {
  constexpr std::string_view kInside[] = {"lo", "docker", "virbr", "veth", "br-", "cni", "cali", "flannel"};
  constexpr std::string_view kNowhere[] = {"127.", "169.254.", "172.17.0.1", "fe80:", "::1"};
  const auto begins = [](std::string_view text) { return [text](std::string_view b) { return text.starts_with(b); }; };
  return !address.empty() && std::none_of(std::begin(kInside), std::end(kInside), begins(interface)) &&
         std::none_of(std::begin(kNowhere), std::end(kNowhere), begins(address));
}

// "[0]mlx5_0:1/RoCE [1]mlx5_1:1/IB [RO]" or "[0]eth0:10.0.0.3<0>": the names, and the fabric of RDMA devices.
void ReadDevices(std::string_view list, SourceId source, uint32_t line, Collector& facts, JobEnvironment* out) {
  for (size_t at = list.find(']'); at != std::string_view::npos; at = list.find(']', at + 1)) {
    const std::string_view rest = list.substr(at + 1);
    const std::string_view entry = rest.substr(0, rest.find(' '));
    const size_t colon = entry.find(':');
    if (colon == std::string_view::npos || colon == 0) continue;
    const std::string_view name = entry.substr(0, colon);
    out->interfaces.emplace(name);
    if (entry.ends_with('>') && MayBeReached(name, entry.substr(colon + 1))) out->reachable.emplace(name);
    if (entry.ends_with("/RoCE")) {
      facts.Add("fabric", "roce", source, line);
      out->roce.emplace(entry.substr(0, entry.rfind('/')));
    }
    if (entry.ends_with("/IB")) {
      facts.Add("fabric", "ib", source, line);
      out->infiniband.emplace(entry.substr(0, entry.rfind('/')));
    }
  }
}

void ReadEvent(const SourceFacts& facts, const Event& e, SourceId source, Collector& out, JobEnvironment* environment) {
  for (const FieldId field : {FieldId::kDevice, FieldId::kInterface}) {
    if (const std::string_view name = facts.Get(e, field); !name.empty()) {
      environment->interfaces.emplace(name.substr(0, name.find(':')));
    }
  }
  if (e.kind == EventKind::kNetDevices) ReadDevices(facts.Get(e, FieldId::kDevices), source, e.line, out, environment);
  if (e.kind == EventKind::kBootstrapInterface) {
    const std::string_view interface = facts.Get(e, FieldId::kInterface);
    const std::string_view address = facts.Get(e, FieldId::kAddress);
    if (MayBeReached(interface, address)) environment->reachable.emplace(interface);
    if (!interface.empty()) out.Add("interface", std::string(interface) + " " + std::string(address), source, e.line);
  }
  if (e.kind == EventKind::kNetChoice) {
    const std::string_view network = facts.Get(e, FieldId::kNetwork);
    if (network.starts_with("Socket")) out.Add("fabric", "tcp", source, e.line);
    if (network.starts_with("AWS") || network.starts_with("Libfabric")) out.Add("fabric", "efa", source, e.line);
  }
}

void ReadProcesses(const JobModel& model, Collector& facts, JobEnvironment* out) {
  for (const Process& p : model.processes) {
    const auto add = [&](std::string_view name, std::string_view value) {
      facts.Add(name, value, p.first.source, p.first.line);
    };
    add("nccl", p.nccl_version);
    add("cuda", p.cuda_version);
    add("cuda_driver", p.driver_version);
    for (const std::string_view name : {p.pod, p.host}) {
      if (!IsPodName(name)) continue;
      add("pod", name);
      add("scheduler", "kubernetes");
      out->pods.try_emplace(std::string(name));
    }
    if (IsContainerId(p.host)) add("container", "docker"), out->pods.try_emplace(std::string(p.host));
    for (const auto& [name, value] : p.environment) {
      out->variables[std::string(name)].emplace(value.first);
      facts.Add("variable", std::string(name) + "=" + std::string(value.first), value.second.source, value.second.line);
    }
  }
}

// `3: ` may be anybody's number: it counts where nothing else tells the scheduler or the launcher.
void ReadLabels(const JobModel& model, Collector& facts) {
  if (facts.Knows("launcher") || facts.Knows("scheduler")) return;
  for (const Process& p : model.processes) {
    if (p.launcher == LauncherLabel::kNone) continue;
    facts.Add("launcher", p.launcher == LauncherLabel::kSrun ? "srun" : "mpirun", p.first.source, p.first.line);
  }
}

// Settings that were typed in front of a command: $ NCCL_SOCKET_IFNAME=eno1 NCCL_IB_DISABLE=1 python main.py --rank 1
void ReadSettings(const Finding& f, Collector& facts, JobEnvironment* out) {
  constexpr std::string_view kName = "NCCL_";
  for (const std::string_view word : SplitWords(f.text)) {
    const size_t equal = word.find('=');
    if (!word.starts_with(kName) || equal == std::string_view::npos || equal + 1 == word.size()) continue;
    const std::string_view value = word.substr(equal + 1);
    out->variables[std::string(word.substr(0, equal))].emplace(value);
    facts.Add("variable", word, f.source, f.line);
  }
}

void ReadFindings(const std::vector<EvidenceItem>& items, Collector& facts, JobEnvironment* out) {
  for (const EvidenceItem& item : items) {
    const Finding& f = item.finding;
    const bool environment = item.rule != nullptr && item.rule->family == kFamily;
    for (const auto& [name, value] : f.fields) {
      if (environment) facts.Add(name, value, f.source, f.line);
      if (environment && name == "command_line") ReadSettings(f, facts, out);
      if (name == "pod") out->pods.try_emplace(std::string(value));
      if (name == "device" || name == "interface") out->interfaces.emplace(value.substr(0, value.find(':')));
      // Who complains of a variable found it set, to whatever: "Invalid NCCL_COMM_ID [node-0:38254], please use
      // format".
      if (name == "variable") out->variables[value];
    }
  }
}

void AddValues(const JobModel& model, JobEnvironment* out) {
  for (const EnvironmentFact& fact : out->facts) {
    // "NCCL_IB_HCA=mlx5_0" is a fact; the variable that a template names is the one that a failing line tells of.
    if (fact.name != "variable") out->values.try_emplace(fact.name, fact.value);
  }
  if (!model.largest.valid()) return;
  const Communicator& c = model.communicators[model.largest.value];
  int64_t local = 0;
  for (const Rank& r : c.ranks) {
    local = std::max<int64_t>(local, r.local_rank + 1);
    if (r.rank == 0 && !r.host.empty()) out->values["first_host"] = std::string(r.host);
  }
  if (c.nnodes > 0) out->values["nodes"] = std::to_string(c.nnodes);
  if (c.nnodes > 0 && local == 0 && c.nranks % c.nnodes == 0) local = c.nranks / c.nnodes;
  if (local > 0) out->values["gpus_per_node"] = std::to_string(local);
}

// What the words imply, and what that implies; not what a word excludes that the logs show.
void AddImplied(const KnowledgeBase& kb, JobEnvironment* out) {
  const auto member = [&](std::string_view word, const char* name) {
    const auto known = kb.FindCode("environment", word, Language::kEnglish);
    const auto it = known ? known->more.find(name) : std::map<std::string, std::string>::const_iterator();
    return known && it != known->more.end() ? it->second : std::string();
  };
  std::vector<std::string> next(out->words.begin(), out->words.end());
  while (!next.empty()) {
    const std::string implied = member(next.back(), "implies");
    next.pop_back();
    for (const std::string_view word : SplitWords(implied)) {
      const std::string excludes = member(word, "not_with");
      const std::vector<std::string_view> others = SplitWords(excludes);
      if (std::any_of(others.begin(), others.end(), [&](auto other) { return out->Shows(other); })) continue;
      if (out->words.emplace(word).second) next.emplace_back(word);
    }
  }
}

// What leaves RoCE adapters out names those of all hosts. An adapter that is InfiniBand on another host cannot be left
// out by its name; one that has a port of each kind is left out by its port.
void TellAdapters(JobEnvironment* out) {
  std::set<std::string> roce, swapped;
  for (const std::string& port : out->roce) {
    const std::string name = port.substr(0, port.find(':'));
    const auto other = out->infiniband.lower_bound(name + ":");
    const bool both = other != out->infiniband.end() && other->starts_with(name + ":");
    if (out->infiniband.contains(port)) {
      swapped.insert(name);
    } else {
      roce.insert(both ? port : name);
    }
  }
  if (!swapped.empty()) {
    out->values["swapped_devices"] = fmt::format("{}", fmt::join(swapped, ","));
  } else if (!roce.empty()) {
    out->values["roce_devices"] = fmt::format("{}", fmt::join(roce, ","));
  }
}

}  // namespace

JobEnvironment EnvironmentOf(const JobModel& model, const std::vector<EvidenceItem>& items, const KnowledgeBase& kb) {
  JobEnvironment out;
  Collector facts(model, &out);
  ReadProcesses(model, facts, &out);
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    for (const Event& e : model.sources[s]->events) ReadEvent(*model.sources[s], e, SourceId{s}, facts, &out);
  }
  TellAdapters(&out);
  ReadFindings(items, facts, &out);
  ReadLabels(model, facts);
  facts.Finish();
  AddValues(model, &out);
  for (const EnvironmentFact& fact : out.facts) {
    if (std::find(std::begin(kKinds), std::end(kKinds), fact.name) != std::end(kKinds)) out.words.insert(fact.value);
  }
  if (model.hosts.size() > 1) out.words.emplace("several-hosts");
  // Lines of COLL are there: nobody has to be asked for them.
  const bool logged = std::any_of(model.sources.begin(), model.sources.end(),
                                  [](const SourceFacts* s) { return !s->collectives.empty(); });
  if (logged) out.words.emplace("calls-logged");
  AddImplied(kb, &out);
  if (!out.pods.empty()) {
    const PodNodes nodes(model);
    for (auto& [pod, node] : out.pods) node = nodes.NodeOf(pod);
  }
  return out;
}

}  // namespace ncclwhy

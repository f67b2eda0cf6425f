#include "analyze/culprit_resolver.h"

#include <algorithm>

#include "analyze/launcher_hosts.h"
#include "analyze/process_on_gpu.h"
#include "analyze/silent_rank.h"
#include "base/numbers.h"
#include "job/address_book.h"
#include "job/rank_in_text.h"
#include "rules/engine/hit_index.h"

namespace ncclwhy {

CulpritResolver::CulpritResolver(const JobModel& model, const std::vector<EvidenceItem>& items, bool chinese)
    : model_(model),
      hosts_(model),
      roll_(model),
      quoted_(items),
      pods_(model),
      launcher_hosts_(HostsByLauncher(model, items)),
      task_hosts_(HostsOfTasks(model, items)),
      chinese_(chinese) {
  ReadLauncherTables(items);
  // The first process of a rank, where it was started again, but for one that left in order: its run is over.
  for (const Process& p : model.processes) {
    const auto [known, is_new] = processes_.try_emplace(p.rank, p.id);
    if (!is_new && model.processes[known->second.value].destroyed && !p.destroyed && p.pid >= 0) known->second = p.id;
  }
  for (const Edge& e : model.edges) {
    if (e.comm != model.largest || !e.transport.starts_with("NET")) continue;
    net_peers_[e.from].insert(e.to);
    net_peers_[e.to].insert(e.from);
  }
  std::map<std::pair<const Rule*, std::string>, std::set<ProcessId>> processes;
  for (const EvidenceItem& i : items) {
    if (i.rule == nullptr || !i.finding.process.valid()) continue;
    const std::string host = HostOf(i.finding);
    if (!host.empty()) processes[{i.rule, host}].insert(i.finding.process);
  }
  for (auto& [key, set] : processes) {
    if (set.size() > 1) others_.emplace(key, std::move(set));
  }
  for (const EvidenceItem& i : items) {
    const std::string_view peer = WithoutPort(i.finding.Field("peer"));
    const std::string host = peer.empty() ? std::string() : HostOf(i.finding);
    if (!host.empty()) complain_of_[std::string(peer)].insert(host);
  }
  // Asked once for an address, not for each line that has it.
  std::erase_if(complain_of_, [&](const auto& peer) { return !model.ResolveAddress(peer.first).host.empty(); });
}

CulpritResolver::Candidates CulpritResolver::Resolve(const EvidenceItem& item) const {
  Candidates list = ResolveRole(item);
  for (CulpritCandidate& c : list) {
    // ncclras names nodes by their addresses, torchelastic by their whole names: "on node 192.0.2.2", "host :
    // n2.cl.org"
    if (const std::string_view owner = model_.ResolveAddress(c.host).host; !owner.empty()) c.host = std::string(owner);
    if (c.rank < 0) c.rank = quoted_.OfHost(item.finding, c.host, c.process);
  }
  return list;
}

void CulpritResolver::NameSilent(const std::vector<EvidenceItem>& items, Candidates* list) const {
  if (list->size() > 1 || (!list->empty() && list->front().rank >= 0)) return;
  CulpritCandidate c;
  c.rank = SilentRank(model_, items);
  if (c.rank < 0) return;
  FillRank(c);
  // Peers tell where it was; the ranks beside it only let one think so.
  if (c.by_neighbours) {
    std::set<std::string> peers;
    for (const EvidenceItem& i : items) {
      const std::string_view peer = WithoutPort(i.finding.Field("peer"));
      const bool name = !peer.empty() && !IsDigit(peer[0]) && peer.find(':') == std::string_view::npos;
      if (name && i.finding.role == Role::kSecondary) peers.emplace(ShortHost(peer));
    }
    if (!peers.empty() && !peers.contains(std::string(ShortHost(c.host)))) {
      c.by_neighbours = false;
      c.host = peers.size() == 1 ? *peers.begin() : std::string();
    }
  }
  // A rank elsewhere than the host that was blamed contradicts it: nobody is named rather than two.
  if (!list->empty() && !c.host.empty() && !list->front().host.empty() && c.host != list->front().host) return;
  c.why = Say("all other ranks wait for it", "其他 rank 都在等它");
  if (!list->empty()) {
    if (c.host.empty()) c.host = list->front().host;
    c.device = list->front().device;
    c.gpu = list->front().gpu;
  }
  list->assign(1, c);
}

void CulpritResolver::NameMissing(const std::vector<EvidenceItem>& items, Candidates* list) const {
  CulpritCandidate c;
  c.rank = MissingRank(items);
  if (c.rank < 0 || !list->empty()) return;
  FillRank(c);
  c.why = Say("one rank did not join, and all others complain", "有一个 rank 未加入，其他 rank 都在报错");
  list->push_back(c);
}

CulpritResolver::Candidates CulpritResolver::ResolveRole(const EvidenceItem& item) const {
  const Blame blame = item.rule != nullptr ? item.rule->blame : Blame::kSelf;
  switch (blame) {
    case Blame::kNobody:
      return {};
    case Blame::kSelf:
      // A launcher's line between those of ranks is none of theirs: "failed (exitcode: -9) local_rank: 2 (pid: 5377)".
      if (const int32_t rank =
              item.rule != nullptr && item.rule->sign.of == SignOf::kNamed ? RankInTable(item.finding) : -1;
          // Where the line has a pid the process is known better by that.
          rank >= 0 && !OfPid(item.finding).valid()) {
        CulpritCandidate named;
        named.rank = rank;
        FillRank(named);
        // The launcher of a node speaks of its own.
        if (named.host.empty()) named.host = item.finding.host;
        if (named.host.empty() && item.finding.source.valid()) {
          named.host = model_.source_hosts[item.finding.source.value];
        }
        named.why = Say("its launcher tells of its end", "启动器报告了它的结束");
        return {named};
      }
      return Self(item.finding);
    case Blame::kHost:
      return Host(item.finding, item.rule);
    case Blame::kPeer:
      return Peer(item.finding);
    case Blame::kConnection:
      return Connection(item.finding);
    case Blame::kField:
      return Field(item.finding, item.rule);
  }
  return {};
}

CulpritCandidate CulpritResolver::OfProcess(ProcessId id) const {
  CulpritCandidate c;
  c.process = id;
  c.host = HostOf(id);
  c.rank = model_.RankOf(id) >= 0 ? model_.RankOf(id) : roll_.RankOfPid(model_.processes[id.value].pid, c.host);
  return c;
}

std::string CulpritResolver::HostOf(ProcessId id) const {
  const auto it = launcher_hosts_.find(id);
  if (it != launcher_hosts_.end()) return it->second;
  const Process& p = model_.processes[id.value];
  if (!p.host.empty() || p.parts.empty()) return std::string(p.host);
  if (!p.pod.empty()) return std::string(p.pod);  // the machine, as far as anybody in the job knows
  return model_.source_hosts[p.parts.front().first.value];
}

// Of a finding whose process prints no host: where its rank runs.
std::string CulpritResolver::HostOf(const Finding& f) const {
  if (!f.host.empty() || !f.process.valid()) return f.host;
  CulpritCandidate c;
  c.rank = model_.RankOf(f.process);
  if (c.rank < 0) return {};
  FillRank(c);
  // A guess must not decide what is counted for a host.
  return c.by_neighbours ? std::string() : c.host;
}

// "28969 Killed", "Killed process 4242": who ended is known by its number, on the host of the line if that is told.
ProcessId CulpritResolver::OfPid(const Finding& f) const {
  const auto pid = ParseInt<int64_t>(Get(f.fields, "pid"));
  ProcessId found;
  for (const Process& p : model_.processes) {
    if (!pid || p.pid != *pid) continue;
    // Pids come again on every host: with two that fit, none does.
    if (!f.host.empty() && !p.host.empty() && f.host != p.host) continue;
    if (found.valid()) return {};
    found = p.id;
  }
  return found;
}

ProcessId CulpritResolver::Named(const Finding& f) const {
  const ProcessId of_pid = OfPid(f);
  if (of_pid.valid()) return of_pid;
  std::string_view host = f.host;
  if (host.empty() && f.source.valid()) host = model_.source_hosts[f.source.value];
  // `NVRM: Xid (PCI:0000:1b:00): 79`: the process is the one that uses that GPU.
  return ProcessOnGpu(model_, host, Get(f.fields, "bus_id"));
}

// One process may drive several GPUs: the one that the line names is of one rank.
//   nvidia 0000:41:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT …       busId 41000
void CulpritResolver::NameOnGpu(const Finding& f, CulpritCandidate& c) const {
  const Rank* on = RankOnGpu(model_, c.host, Get(f.fields, "bus_id"));
  // The kernel's log is of a node, the rank's of the pod there.
  if (on == nullptr && !c.host.empty()) {
    const std::string pod = pods_.PodOn(c.host);
    if (!pod.empty()) on = RankOnGpu(model_, pod, Get(f.fields, "bus_id"));
  }
  if (on == nullptr) return;
  c.process = on->process;
  c.rank = on->rank;
  c.gpu = on->cuda_dev;
  c.line_names_gpu = c.gpu >= 0;
}

// Ray names workers by address and number, and so it labels their lines: (Worker pid=4415, ip=10.0.3.17).
CulpritCandidate CulpritResolver::OfTask(const RayTask& task) const {
  const std::string_view owner = model_.ResolveAddress(task.host).host;
  for (const Process& p : model_.processes) {
    if (p.pid != task.pid || p.host.empty() || (p.host != task.host && p.host != owner)) continue;
    return OfProcess(p.id);
  }
  CulpritCandidate c;
  c.host = owner.empty() ? task.host : owner;
  return c;
}

// On one host the local rank is the rank.
//   failed (exitcode: -9) local_rank: 1 (pid: 25237) of binary: /opt/conda/bin/python
bool CulpritResolver::NothingOfOtherHosts() const {
  const bool several = std::any_of(model_.communicators.begin(), model_.communicators.end(),
                                   [](const Communicator& c) { return c.nnodes > 1; });
  return model_.hosts.size() <= 1 && model_.sources.size() == 1 && !several;
}

CulpritResolver::Candidates CulpritResolver::Self(const Finding& f) const {
  CulpritCandidate c;
  if (const ProcessId named = Named(f); named.valid()) {
    c = OfProcess(named);
  } else if (f.process.valid()) {
    c = OfProcess(f.process);
    c.gpu = f.device == kNoDevice ? -1 : f.device;
    // `node07: ` of a node's launcher numbers the node and not a rank.
    if (IsNodesNumber(f, c)) {
      c.process = {};
      c.rank = failed_.contains(f.source) ? failed_.at(f.source) : -1;
    }
  } else {
    c.rank = f.rank;
    c.host = f.host;
  }
  if (c.rank < 0 && c.host.empty()) c.host = f.host;
  NameOnGpu(f, c);
  if (c.rank < 0 && c.host.empty()) {
    if (const RayTask task = RayTaskOf(model_, f); !task.host.empty()) {
      c = OfTask(task);
      c.why = Say("the failing stack is of its task", "失败的堆栈属于它的任务");
      return {c};
    }
  }
  // A traceback on a shared terminal belongs to no process, but may say whose it is.
  if (c.rank < 0) c.rank = roll_.RankOfPid(ParseInt(Get(f.fields, "pid")).value_or(-1), c.host);
  // A message of NCCL speaks of ranks of some communicator, and its header tells whose it is.
  //   node3:6111:5092 [1] NCCL WARN Duplicate GPU detected : rank 0 and rank 1 both on CUDA device e3000
  const bool of_nccl = f.process.valid() && f.device != kNoDevice;
  if (c.rank < 0 && !of_nccl) c.rank = RankInText(f.text);
  if (c.rank < 0) c.rank = quoted_.OfWords(f);
  if (c.host.empty()) c.host = HostBeforeRank(f.text);
  const bool local = c.rank < 0 && NothingOfOtherHosts();
  if (local) c.rank = static_cast<int32_t>(ParseInt(Get(f.fields, "local_rank")).value_or(-1));
  if (c.rank >= 0 && (!f.process.valid() || c.host.empty())) FillRank(c);
  if (c.rank < 0 && c.host.empty()) return {};
  c.device = Get(f.fields, "device");
  c.why = local && c.rank >= 0
              ? Say("its local rank; nothing here is of a second host", "这是它的 local rank；这里没有第二台主机的内容")
              : Say("printed the failing line", "失败的那一行由它打印");
  return {c};
}

CulpritResolver::Candidates CulpritResolver::Host(const Finding& f, const Rule* rule) const {
  CulpritCandidate c;
  c.host = Get(f.fields, "culprit_host");
  if (c.host.empty()) c.host = f.host;
  // dmesg-gpu-b17.txt: lines of no process, or of one of which nothing is known
  const bool nobodys = !f.process.valid() || !model_.processes[f.process.value].known();
  if (c.host.empty() && nobodys && f.source.valid()) c.host = model_.source_hosts[f.source.value];
  const ProcessId named = Named(f);
  // dmesg of a host that nothing names, and a list of the ranks' pids beside it.
  if (c.host.empty() && !named.valid()) {
    c.rank = roll_.RankOfPid(ParseInt(Get(f.fields, "pid")).value_or(-1), c.host);
    if (c.rank >= 0) {
      FillRank(c);
      c.device = Get(f.fields, "device");
      c.why = Say("the failing line names its process", "失败的那一行点名了它的进程");
      return {c};
    }
  }
  if (c.host.empty() && !named.valid()) {
    const Process* printed = f.process.valid() ? &model_.processes[f.process.value] : nullptr;
    if (printed == nullptr || printed->rank < 0) return {};
    // stdout.6.txt is of rank 6, dmesg-gpu-b17.txt of a host.
    const bool by_file = printed->launcher_rank < 0 && printed->pid < 0;
    if (by_file && f.source.valid() && !model_.source_hosts[f.source.value].empty()) return {};
    c.host = HostOf(f);
    if (others_.contains({rule, c.host})) {
      c.why = Why(f, rule, HostsLine(f, rule));
      return {c};
    }
    c = OfProcess(f.process);  // [rank9]: OSError: [Errno 28] No space left on device
    FillRank(c);
    c.why = Say("printed the failing line", "失败的那一行由它打印");
    return {c};
  }
  // A host of which one process alone complains: say which.
  if (named.valid()) {
    c = OfProcess(named);
  } else if (c.host == f.host && f.process.valid()) {
    if (!others_.contains({rule, c.host})) c = OfProcess(f.process);
    if (c.host.empty()) c.host = f.host;
  }
  NameOnGpu(f, c);
  if (c.rank < 0 && f.text.starts_with("[rank")) c.rank = RankInText(f.text);
  if (c.rank < 0) c.rank = roll_.RankOnGpu(c.host, Get(f.fields, "bus_id"));
  // The kernel's host and the launcher's may have names that nothing joins; a pid joins them: `exitcode  : -9 (pid:
  // 77)`
  if (c.rank < 0) c.rank = roll_.RankOfPid(ParseInt(Get(f.fields, "pid")).value_or(-1), c.host);
  c.device = Get(f.fields, "device");
  c.why = Why(f, rule, HostsLine(f, rule));
  if (const std::string pod = pods_.PodOn(c.host); !pod.empty()) {
    c.why += chinese_ ? "；作业的 pod " + pod + " 在其上运行" : "; the pod " + pod + " of the job ran there";
  }
  return {c};
}

// "ranks 0, 1 there print the failing line": who of the host does, where several do.
std::string CulpritResolver::HostsLine(const Finding& f, const Rule* rule) const {
  constexpr size_t kListed = 8;
  std::set<int32_t> ranks;
  if (const auto it = others_.find({rule, HostOf(f)}); it != others_.end()) {
    for (const ProcessId id : it->second) ranks.insert(model_.RankOf(id));
  }
  if (ranks.size() < 2 || ranks.size() > kListed || *ranks.begin() < 0) {
    return Say("the failing line comes from this host", "失败的那一行来自这台主机");
  }
  std::string list;
  for (const int32_t rank : ranks) list += (list.empty() ? "" : ", ") + std::to_string(rank);
  return chinese_ ? "失败的那一行由其 rank " + list + " 打印" : "its ranks " + list + " print the failing line";
}

// Queries say why in English, with the figures of the case; in Chinese the rule's title stands in.
std::string CulpritResolver::Why(const Finding& f, const Rule* rule, std::string otherwise) const {
  const std::string why = Get(f.fields, "why");
  if (why.empty()) return otherwise;
  return chinese_ && rule != nullptr && !rule->title_zh.empty() ? rule->title_zh.str() : why;
}

CulpritResolver::Candidates CulpritResolver::Field(const Finding& f, const Rule* rule) const {
  CulpritCandidate c;
  const std::string rank = Get(f.fields, "culprit_rank");
  c.rank = ParseInt<int32_t>(rank).value_or(-1);
  c.host = Get(f.fields, "culprit_host");
  // "srun: error: cn-0113: task 2: Out Of Memory": the task is a launcher, whose own table says which of its workers.
  const bool task = rule != nullptr && rule->sign.life == Life::kEnding && rule->sign.of == SignOf::kNamed &&
                    Get(f.fields, "local_rank").empty() && Get(f.fields, "pid").empty();
  if (agents_ && task && c.rank >= 0 && !c.host.empty()) {
    const int32_t of_task = FailedUnder(c.rank);
    c.rank = of_task >= 0 ? of_task : FailedOn(c.host);
  }
  const auto pid = ParseInt(Get(f.fields, "pid"));
  if (c.rank < 0 && rank.empty() && pid) c.rank = roll_.RankOfPid(*pid, c.host);
  const bool stack = rule != nullptr && !rule->query.empty() && f.process.valid();
  if (c.rank < 0 && rank.empty() && stack) c.rank = OfProcess(f.process).rank;
  if (c.rank < 0 && c.host.empty()) return {};
  if (c.rank >= 0) FillRank(c);
  // Of a rank that was started again the query says which of its processes.
  if (f.process.valid() && model_.RankOf(f.process) == c.rank) c.process = f.process;
  c.device = Get(f.fields, "device");
  const bool compared = rule == nullptr || !rule->query.empty();
  c.why = Why(f, rule,
              compared ? Say("the ranks' logs compared point at it", "比较各 rank 的日志后指向它")
                       : Say("the failing line names it", "失败的那一行点名了它"));
  return {c};
}

// From the surest to the vaguest: the rank's process, its task, the program's roll call, the ranks beside it.
void CulpritResolver::FillRank(CulpritCandidate& c) const {
  if (const auto it = processes_.find(c.rank); it != processes_.end()) {
    c.process = it->second;
    if (c.host.empty()) c.host = HostOf(it->second);
  }
  if (!c.host.empty()) return;
  if (const auto it = task_hosts_.find(c.rank); it != task_hosts_.end()) {
    c.host = it->second;
    return;
  }
  c.host = roll_.HostOf(c.rank);
  if (!c.host.empty()) return;
  c.host = hosts_.HostOf(c.rank);
  c.by_neighbours = !c.host.empty();
}

}  // namespace ncclwhy

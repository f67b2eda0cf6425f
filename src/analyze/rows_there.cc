#include "analyze/rows_there.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analyze/rank_traits.h"
#include "job/address_book.h"
#include "rules/engine/vocabulary.h"

namespace ncclwhy {
namespace {

// Whether something has more than one value.
class Values {
 public:
  void Add(std::string_view value) {
    if (value.empty()) return;
    differ_ = differ_ || (!first_.empty() && value != first_);
    first_ = value;
  }
  bool differ() const { return differ_; }

 private:
  std::string_view first_;
  bool differ_ = false;
};

// An excerpt from the middle of an initialisation does not say that it never ended: it must show the start.
// True if it does.
bool AddEvents(const JobModel& model, ViewNames* out) {
  bool start = false, ready = false, rdma = false, gdr = false, ras = false;
  for (const SourceFacts* s : model.sources) {
    for (const Event& e : s->events) {
      switch (e.kind) {
        case EventKind::kCommInitStart:
        case EventKind::kTopology:
          start = true;
          break;
        case EventKind::kCommInitComplete:
          ready = true;
          break;
        // NET/Socket lists interfaces.
        case EventKind::kNetDevices:
          rdma = rdma || s->Get(e, FieldId::kNetwork) != "Socket";
          break;
        case EventKind::kGdr:
          gdr = gdr || s->Get(e, FieldId::kPhase) == "enabled";
          break;
        case EventKind::kRas:
          ras = ras || !s->Get(e, FieldId::kPhase).empty();
          break;
        default:
          break;
      }
    }
  }
  if (!ready) out->insert("job:never-ready");
  if (rdma) out->insert("job:rdma-listed");
  if (gdr) out->insert("job:gdr-enabled");
  if (ras) out->insert("job:ras-report");
  return start;
}

void AddRanks(const Communicator& c, bool start_shown, ViewNames* out) {
  if (c.divergence.found) out->insert("job:calls-differ");
  if (c.ranks_seen < c.nranks) out->insert("job:rank-unseen");
  int64_t collectives = -1;
  const Rank* before = nullptr;
  std::map<std::pair<std::string_view, std::string_view>, ProcessId> gpus;  // host and bus id
  for (const Rank& r : c.ranks) {
    if (!r.seen) {
      out->insert("job:rank-unseen");
      continue;
    }
    if (start_shown && !r.aborted && !r.destroyed && r.init_complete.line == 0 && r.reached < Stage::kReady) {
      out->insert("job:rank-not-ready");
    }
    if (r.nranks > 0 && r.nranks != c.nranks) out->insert("job:sizes-differ");
    if (r.p2p_calls > 0) out->insert("job:sends");
    if (r.collectives >= 0) {
      if (collectives >= 0 && r.collectives != collectives) out->insert("job:counts-differ");
      collectives = r.collectives;
    }
    if (before != nullptr && before->rank == r.rank) out->insert("job:rank-twice");
    before = &r;
    if (r.bus_id.empty() || r.host.empty()) continue;
    const auto [gpu, fresh] = gpus.try_emplace({r.host, r.bus_id}, r.process);
    if (!fresh && gpu->second != r.process) out->insert("job:gpu-shared");
  }
}

void AddProcesses(const JobModel& model, ViewNames* out) {
  Values versions, networks, interfaces;
  std::map<std::string_view, Values> hosts;                                  // by address
  std::map<std::string_view, std::map<std::string_view, size_t>> variables;  // variable → value → processes
  for (const Process& p : model.processes) {
    if (p.aborted) out->insert("job:process-aborted");
    if (p.log_just_ends && !p.aborted && !p.destroyed) out->insert("job:process-silent");
    versions.Add(p.nccl_version);
    networks.Add(p.net.network);
    interfaces.Add(p.bootstrap.interface);
    if (!p.bootstrap.address.empty()) hosts[WithoutPort(p.bootstrap.address)].Add(p.host);
    for (const auto& [variable, value] : p.environment) ++variables[variable][value.first];
  }
  if (versions.differ()) out->insert("job:versions-differ");
  if (networks.differ()) out->insert("job:networks-differ");
  if (interfaces.differ()) out->insert("job:interfaces-differ");
  for (const auto& [address, of] : hosts) {
    if (of.differ()) out->insert("job:address-shared");
  }
  for (const auto& [variable, values] : variables) {
    if (values.size() > 1 || values.begin()->second < model.processes.size()) out->insert("job:variables-differ");
  }
}

// Nearly every job of several hosts has connections over the network, few have one within a host: only these are worth
// a table of all.
void AddConnections(const JobModel& model, ViewNames* out) {
  const auto on_network = [](const Edge& e) { return e.from != e.to && e.transport.starts_with("NET/"); };
  if (std::none_of(model.edges.begin(), model.edges.end(), on_network)) return;
  const RankHosts hosts = HostsOfRanks(model);
  const bool within = std::any_of(model.edges.begin(), model.edges.end(), [&](const Edge& e) {
    if (!on_network(e)) return false;
    const auto from = hosts.find({e.comm, e.from}), to = hosts.find({e.comm, e.to});
    return from != hosts.end() && to != hosts.end() && !from->second.empty() && from->second == to->second;
  });
  if (within) out->insert("job:network-in-host");
}

}  // namespace

ViewNames RowsThere(const JobModel& model, const JobComparison& comparison) {
  ViewNames out;
  for (const RankDifference& d : comparison.differences) {
    out.insert(std::string(kNeedsDifference) + (d.kind == "trait" ? d.name : std::string(d.kind)));
  }
  for (const DoubtfulSetting& s : comparison.settings) {
    out.insert(std::string(kNeedsSetting) + std::string(s.problem));
  }
  const bool start_shown = AddEvents(model, &out);
  bool ranks_seen = false;
  for (const Communicator& c : model.communicators) {
    AddRanks(c, start_shown, &out);
    ranks_seen = ranks_seen || c.ranks_seen > 0;
  }
  if (!ranks_seen) out.insert("job:no-rank");
  AddProcesses(model, &out);
  AddConnections(model, &out);
  return out;
}

}  // namespace ncclwhy

#include "job/roll_call.h"

#include <algorithm>
#include <set>

#include "base/numbers.h"

namespace ncclwhy {
namespace {

// Zeros in front differ between programs: `0000:9d` and `00000000:9D`.
// The domain, bus and device of a PCI address: 0000:9d:00.0, 00000000:9D:00, as the kernel prints them.
std::string BusAndDevice(std::string_view bus_id) {
  std::string out;
  for (const char c : bus_id.substr(0, bus_id.find('.'))) {
    if (out.empty() && (c == '0' || c == ':')) continue;
    out += c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

template <typename Map, typename Key, typename Value>
// What two lines tell differently is `several`, which nobody is taken for.
void Note(Map& map, Key key, Value value, const Value& several) {
  const auto [it, fresh] = map.try_emplace(std::move(key), value);
  if (!fresh && it->second != value) it->second = several;
}

}  // namespace

RollCall::RollCall(const JobModel& model) {
  for (size_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& f = *model.sources[s];
    for (const Event& e : f.events) {
      if (e.kind == EventKind::kTorchElastic) NoteOfTable(model, f, e);
      if (e.kind != EventKind::kRollCall) continue;
      std::string host(f.Get(e, FieldId::kHost));
      const ProcessId process = model.ProcessOf(SourceId{static_cast<uint32_t>(s)}, e.process, e.launcher_rank);
      if (host.empty() && process.valid()) host = model.processes[process.value].host;
      if (host.empty()) host = model.source_hosts[s];
      const std::string device(f.Get(e, FieldId::kDevice));
      // `GPU 0: … UUID` rows: the GPU of a bus, by which ranks are found.
      const auto rank = ParseInt<int32_t>(f.Get(e, FieldId::kRank));
      if (const std::string bus_id(f.Get(e, FieldId::kBusId)); !bus_id.empty() && !rank) {
        Note(uuids_, std::pair(host, BusAndDevice(bus_id)), device, std::string());
        continue;
      }
      if (const auto inside = ParseInt<int64_t>(f.Get(e, FieldId::kProcess))) {
        if (const auto pid = ParseInt<int64_t>(f.Get(e, FieldId::kPid))) inside_.insert_or_assign(*pid, *inside);
      }
      if (!rank) continue;
      if (const std::string bus_id(f.Get(e, FieldId::kBusId)); !bus_id.empty() && !host.empty()) {
        Note(buses_, std::pair(host, BusAndDevice(bus_id)), *rank, -1);
      }
      if (const auto pid = ParseInt<int64_t>(f.Get(e, FieldId::kPid))) Note(pids_, *pid, *rank, -1);
      if (!host.empty()) Note(hosts_, *rank, host, std::string());
      if (!device.empty()) Note(gpus_, device, *rank, -1);
      if (const std::string address(f.Get(e, FieldId::kAddress)); !address.empty()) {
        Note(addresses_, address, *rank, -1);
      }
    }
  }
  // NSpid: 1402416 216     what the kernel says of 1402416 is of the rank that calls itself 216
  for (const auto& [outside, inside] : inside_) {
    if (const auto it = pids_.find(inside); it != pids_.end() && it->second >= 0)
      pids_.try_emplace(outside, it->second);
  }
  // `h100` is a kind of GPU and not a host, if no log is of a host of that name.
  // "rank 3 on h100", said by all: no host's name, or one that tells nothing.
  std::set<std::string> names;
  for (const auto& [rank, host] : hosts_) {
    if (!host.empty()) names.insert(host);
  }
  const bool one =
      names.size() == 1 && std::find(model.hosts.begin(), model.hosts.end(), *names.begin()) == model.hosts.end();
  if (one) hosts_.clear();
  // What a launcher's table says of a rank that ended is later and surer.
  for (const auto& [rank, host] : table_hosts_) hosts_.insert_or_assign(rank, host);
}

// The rows `host`, `rank` and `exitcode` of torchrun's table, which has a host's whole name or its address.
void RollCall::NoteOfTable(const JobModel& model, const SourceFacts& facts, const Event& row) {
  const auto rank = ParseInt<int32_t>(facts.Get(row, FieldId::kRank));
  if (!rank) return;
  if (const auto pid = ParseInt<int64_t>(facts.Get(row, FieldId::kPid))) Note(pids_, *pid, *rank, -1);
  const std::string_view told = facts.Get(row, FieldId::kHost);
  if (told.empty() || told.starts_with("localhost")) return;
  const std::string_view known = model.ResolveAddress(told).host;
  if (!known.empty()) known_hosts_.emplace(known);
  Note(table_hosts_, *rank, std::string(known.empty() ? told : known), std::string());
}

std::string RollCall::HostOf(int32_t rank) const {
  const auto it = hosts_.find(rank);
  return it == hosts_.end() ? std::string() : it->second;
}

int32_t RollCall::RankOfPid(int64_t pid, std::string_view host) const {
  const auto it = pids_.find(pid);
  if (it == pids_.end()) return -1;
  const auto at = table_hosts_.find(it->second);
  const bool elsewhere = at != table_hosts_.end() && at->second != host && known_hosts_.contains(at->second);
  return elsewhere ? -1 : it->second;
}

int32_t RollCall::RankOnGpu(std::string_view host, std::string_view bus_id) const {
  if (bus_id.empty()) return -1;
  const std::pair place(std::string(host), BusAndDevice(bus_id));
  if (const auto told = buses_.find(place); told != buses_.end()) return told->second;
  const auto gpu = uuids_.find(place);
  if (gpu == uuids_.end()) return -1;
  const auto rank = gpus_.find(gpu->second);
  return rank == gpus_.end() ? -1 : rank->second;
}

int32_t RollCall::RankAt(std::string_view address) const {
  const auto it = addresses_.find(address);
  return it == addresses_.end() ? -1 : it->second;
}

std::set<std::string_view> RollCall::Hosts() const {
  std::set<std::string_view> hosts;
  for (const auto& [rank, host] : hosts_) {
    if (!host.empty()) hosts.insert(host);
  }
  return hosts;
}

std::set<int32_t> RollCall::Ranks() const {
  std::set<int32_t> ranks;
  for (const auto& [rank, host] : hosts_) ranks.insert(rank);
  for (const auto& [pid, rank] : pids_) ranks.insert(rank);
  for (const auto& [address, rank] : addresses_) ranks.insert(rank);
  for (const auto& [gpu, rank] : gpus_) ranks.insert(rank);
  for (const auto& [bus, rank] : buses_) ranks.insert(rank);
  ranks.erase(-1);  // told of several
  return ranks;
}

int64_t RollCall::Processes() const {
  return std::count_if(pids_.begin(), pids_.end(), [](const auto& told) { return told.second >= 0; });
}

}  // namespace ncclwhy

#include "job/address_book.h"

#include <algorithm>
#include <set>

namespace ncclwhy {
namespace {

// "::ffff:10.0.0.7" (a RoCE v2 GID) → "10.0.0.7".
std::string_view WithoutMapping(std::string_view a) {
  if (a.starts_with("::ffff:") || a.starts_with("::FFFF:")) return a.substr(7);
  return a;
}

std::string_view FirstLabel(std::string_view host) { return host.substr(0, host.find('.')); }

}  // namespace

std::string_view WithoutPort(std::string_view address) { return address.substr(0, address.find('<')); }

void BuildAddressBook(JobModel& model) {
  std::map<std::string, std::set<std::string_view>, std::less<>> owners;
  for (const Process& p : model.processes) {
    if (p.host.empty()) continue;
    // `NET/IB : Using … OOB eth0:10.0.0.3<0>`: the address of the bootstrap and that of the network's out-of-band
    // socket.
    for (const std::string_view a : {p.bootstrap.address, p.net.address}) {
      if (!a.empty()) owners[std::string(WithoutPort(a))].insert(p.host);
    }
  }
  for (size_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& f = *model.sources[s];
    for (const Event& e : f.events) {
      if (e.kind != EventKind::kIbQp && e.kind != EventKind::kIbCompletion) continue;
      // The GID of the queue pair's own end.
      const std::string_view gid = f.Get(e, e.kind == EventKind::kIbQp ? FieldId::kGid : FieldId::kLocalGid);
      const ProcessId id = model.ProcessOf(SourceId{static_cast<uint32_t>(s)}, e.process, e.launcher_rank);
      if (gid.empty() || !id.valid() || model.processes[id.value].host.empty()) continue;
      // Under both spellings: a GID of RoCE v2 is an address of version 4 in one of version 6.
      owners[std::string(gid)].insert(model.processes[id.value].host);
      owners[std::string(WithoutMapping(gid))].insert(model.processes[id.value].host);
    }
  }
  // 10.0.0.1 of two containers: an address that two hosts have names neither.
  for (const auto& [address, hosts] : owners) {
    if (hosts.size() == 1) model.host_of_address.emplace(address, *hosts.begin());
  }
}

// Ray and some programs print an address where others print a host: two names of one host would be two hosts.
void NameHostsOfAddresses(JobModel& model) {
  for (Process& p : model.processes) {
    if (const auto named = model.host_of_address.find(p.host); named != model.host_of_address.end())
      p.host = named->second;
  }
  std::erase_if(model.hosts, [&](const std::string& host) {
    const auto named = model.host_of_address.find(host);
    return named != model.host_of_address.end() && named->second != host;
  });
}

JobModel::Owner JobModel::ResolveAddress(std::string_view address) const {
  Owner owner;
  std::string_view name = WithoutPort(address);
  auto it = host_of_address.find(name);
  if (it == host_of_address.end()) it = host_of_address.find(WithoutMapping(name));
  if (it != host_of_address.end()) {
    owner.host = it->second;
  } else {
    for (const std::string& host : hosts) {
      // A name that begins with a digit is an address: 10.0.0.1 and 10.1.0.1 have the same first label.
      if (host == name || (FirstLabel(host) == FirstLabel(name) && !name.empty() && (name[0] < '0' || name[0] > '9'))) {
        owner.host = host;
        break;
      }
    }
  }
  if (owner.host.empty()) return owner;
  for (const Process& p : processes) {
    if (p.host == owner.host) owner.processes.push_back(p.id);
  }
  return owner;
}

}  // namespace ncclwhy

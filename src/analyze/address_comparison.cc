#include "analyze/address_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/numbers.h"

namespace ncclwhy {
namespace {

using Octets = std::array<int, 4>;

// ::ffff:10.0.0.5 and 10.0.0.5<40123> are 10.0.0.5.
std::string_view Bare(std::string_view address) {
  address = address.substr(0, address.find('<'));
  for (const std::string_view mapped : {"::ffff:", "::FFFF:"}) {
    if (address.starts_with(mapped)) address.remove_prefix(mapped.size());
  }
  return address;
}

// Nothing for an address of version 6, or a name: they are compared as texts only.
std::optional<Octets> OctetsOf(std::string_view address) {
  Octets out{};
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t dot = i + 1 < out.size() ? address.find('.') : address.size();
    if (dot == std::string_view::npos) return std::nullopt;
    const auto octet = ParseInt<int>(address.substr(0, dot));
    if (!octet || *octet < 0 || *octet > 255) return std::nullopt;
    out[i] = *octet;
    address.remove_prefix(std::min(dot + 1, address.size()));
  }
  return out;
}

// Assigned by the host itself where nobody gave it another: 169.254.0.0/16 and fe80::/10.
bool IsLinkLocal(std::string_view address, const std::optional<Octets>& octets) {
  if (octets) return (*octets)[0] == 169 && (*octets)[1] == 254;
  return address.starts_with("fe80:") || address.starts_with("FE80:");
}

// By the blocks that sites hand out: within 10.0.0.0/8 everything may be routed, within 172.16.0.0/12 and
// 192.168.0.0/16 a second octet is mostly a network of its own. Without masks no more can be said.
bool InDifferentNetworks(const Octets& a, const Octets& b) {
  if (a[0] != b[0]) return true;
  return (a[0] == 172 || (a[0] == 192 && a[1] == 168)) && a[1] != b[1];
}

}  // namespace

std::string CompareAddresses(std::string_view own, std::string_view peer, Language language) {
  const bool zh = language == Language::kChinese;
  own = Bare(own);
  peer = Bare(peer);
  if (own.empty() || peer.empty() || own == peer) return {};
  const std::optional<Octets> here = OctetsOf(own);
  const std::optional<Octets> there = OctetsOf(peer);
  // What no peer could ever reach comes first: it explains whatever the other end is.
  for (const auto& [address, octets] : {std::pair(own, here), std::pair(peer, there)}) {
    if (octets && (*octets)[0] == 127) {
      return fmt::format(fmt::runtime(zh ? "{} 只能到达本机" : "{} reaches nothing but its own host"), address);
    }
    if (IsLinkLocal(address, octets)) {
      return fmt::format(
          fmt::runtime(zh ? "{} 是链路本地地址，路由器不会转发" : "{} is link-local: no router forwards it"), address);
    }
  }
  if (!here || !there) return {};
  // 172.17.0.0/16 is what Docker gives its bridge until somebody changes it. One end in it and the other one outside:
  // a container without the host's network.
  const auto docker = [](const Octets& o) { return o[0] == 172 && o[1] == 17; };
  if (docker(*here) != docker(*there)) {
    return fmt::format(fmt::runtime(zh ? "{} 属于 Docker 自己的网桥，其他主机无法到达"
                                       : "{} is of Docker's own bridge: no other host reaches it"),
                       docker(*here) ? own : peer);
  }
  if (!InDifferentNetworks(*here, *there)) return {};
  return fmt::format(fmt::runtime(zh ? "{} 与 {} 在不同的网络中" : "{} and {} are in different networks"), own, peer);
}

void AddAddressComparison(Language language, TemplateValues* values) {
  const auto value = [&](const char* name) {
    const auto at = values->find(name);
    return at == values->end() ? std::string_view() : std::string_view(at->second);
  };
  // Lines of one event have the first name, those of another one the second: a QP's own line, and a completion's.
  const auto end = [&](const char* first, const char* second) {
    return value(first).empty() ? value(second) : value(first);
  };
  // The GIDs first: they are what RDMA uses, whatever addresses the bootstrap went through.
  std::string clause = CompareAddresses(end("gid", "local_gid"), end("remote_gid", "peer_gid"), language);
  if (clause.empty()) clause = CompareAddresses(value("own_address"), value("peer"), language);
  if (!clause.empty()) values->try_emplace("compared", std::move(clause));
}

}  // namespace ncclwhy

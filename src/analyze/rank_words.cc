#include "analyze/rank_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/rank_list.h"

namespace ncclwhy {
namespace {

constexpr size_t kMostRanges = 4;
constexpr size_t kMostHosts = 3;
constexpr size_t kGroups = 3;

std::string HostList(const std::set<std::string>& hosts) {
  std::vector<std::string> named(hosts.begin(), hosts.end());
  const bool more = named.size() > kMostHosts;
  if (more) named.resize(kMostHosts);
  return fmt::format("{}{}", fmt::join(named, ", "), more ? ", …" : "");
}

}  // namespace

RankRef RefOf(const Process& process) { return {process.rank, std::string(process.host), process.pid}; }

std::string DescribeRanks(std::vector<RankRef> ranks, Language language) {
  const bool zh = language == Language::kChinese;
  std::sort(ranks.begin(), ranks.end());
  std::vector<int32_t> numbers;
  std::set<std::string> hosts;
  for (const RankRef& r : ranks) {
    if (r.rank >= 0 && (numbers.empty() || numbers.back() != r.rank)) numbers.push_back(r.rank);
    if (!r.host.empty()) hosts.insert(r.host);
  }
  std::string who;
  if (numbers.empty() && ranks.size() == 1 && ranks[0].pid >= 0) {
    who = fmt::format("pid {}", ranks[0].pid);
  } else if (numbers.empty()) {
    who = zh ? fmt::format("{} 个进程", ranks.size())
             : fmt::format("{} process{}", ranks.size(), ranks.size() == 1 ? "" : "es");
  } else if (numbers.size() == 1 || zh) {
    who = "rank " + RankRanges(numbers, kMostRanges);
  } else {
    who = "ranks " + RankRanges(numbers, kMostRanges);
  }
  if (hosts.empty()) return who;
  if (hosts.size() == 1) return zh ? fmt::format("{}（{}）", who, *hosts.begin()) : who + " on " + *hosts.begin();
  return zh ? fmt::format("{}（{} 台主机：{}）", who, hosts.size(), HostList(hosts))
            : fmt::format("{} on {} hosts ({})", who, hosts.size(), HostList(hosts));
}

void SortMinorityFirst(std::vector<ValueGroup>* groups) {
  for (ValueGroup& g : *groups) std::sort(g.ranks.begin(), g.ranks.end());
  std::stable_sort(groups->begin(), groups->end(), [](const ValueGroup& a, const ValueGroup& b) {
    if (a.ranks.size() != b.ranks.size()) return a.ranks.size() < b.ranks.size();
    return std::tie(b.ranks, a.value) < std::tie(a.ranks, b.value);
  });
}

std::string DescribeGroups(const std::vector<ValueGroup>& groups, Language language) {
  const bool zh = language == Language::kChinese;
  std::string out;
  // Few values: the last is what is normal. Many: there is no normal.
  const size_t told = std::min(groups.size(), kGroups + 1);
  const auto value_of = [zh](const ValueGroup& g) { return !g.value.empty() ? g.value : zh ? "未设置" : "not set"; };
  for (size_t i = 0; i < told; ++i) {
    const ValueGroup& g = groups[i];
    if (i > 0) out += zh ? "；" : "; ";
    const size_t n = g.ranks.size();
    if (i > 0 && i + 1 == groups.size()) {
      out += zh ? fmt::format("其余 {} 个：{}", n, value_of(g))
                : fmt::format("the other{}: {}", n == 1 ? "" : fmt::format(" {}", n), value_of(g));
    } else {
      out += fmt::format("{}{}{}", DescribeRanks(g.ranks, language), zh ? "：" : ": ", value_of(g));
    }
  }
  if (groups.size() > told) {
    const size_t left = groups.size() - told;
    out += zh ? fmt::format("；另有 {} 个不同的值", left)
              : fmt::format("; and {} more value{}", left, left == 1 ? "" : "s");
  }
  return out;
}

}  // namespace ncclwhy

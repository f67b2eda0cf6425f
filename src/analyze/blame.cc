#include "analyze/blame.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analyze/culprit_resolver.h"
#include "analyze/lost_host.h"

namespace ncclwhy {
namespace {

constexpr size_t kCulprits = 8;
// Behind the ends that are named, within what is listed beside them.
constexpr double kSecondEnd = 0.25;

// Causes that one rank has while the others wait for it. Of a network's faults both ends complain.
bool OneRankDid(std::string_view cause) {
  if (cause == "app.concurrent-comms") return false;
  const std::string_view family = cause.substr(0, cause.find('.'));
  return family == "app" || family == "host" || family == "gpu" || family == "mem";
}

// Two ends see a broken connection, and each names the other. The one host that every pair has in common, where pairs
// of three and more hosts say so; empty when there is none.
std::string_view CommonEnd(const std::set<std::pair<std::string, std::string>>& pairs) {
  std::set<std::string_view> hosts;
  for (const auto& [one, other] : pairs) {
    hosts.insert(one);
    hosts.insert(other);
  }
  if (hosts.size() < 3) return {};
  for (const std::string_view host : hosts) {
    if (std::all_of(pairs.begin(), pairs.end(), [&](const auto& p) { return p.first == host || p.second == host; })) {
      return host;
    }
  }
  return {};
}

}  // namespace

std::vector<Culprit> FindCulprits(const JobModel& model, const std::vector<EvidenceItem>& items,
                                  const Hypothesis& hypothesis, Language language) {
  const CulpritResolver resolver(model, items, language == Language::kChinese);
  std::map<std::pair<int32_t, std::string>, CulpritCandidate> found;
  std::set<std::pair<std::string, std::string>> pairs;  // (host that says it, host that it names)
  double best = 0;
  for (size_t order = 0; order < hypothesis.evidence.size(); ++order) {
    const EvidenceItem& item = items[hypothesis.evidence[order]];
    double weight = 0;
    for (const Weight& w : item.finding.causes) {
      if (w.cause == hypothesis.cause) weight = std::max(weight, w.log_odds);
    }
    // Context and symptoms tell what, seldom who.
    if (item.finding.role == Role::kContext) continue;
    for (CulpritCandidate& c : resolver.Resolve(item)) {
      // A line of every rank and a line that points at one: the pointing rule has the say.
      c.weight = weight + (item.rule != nullptr && item.rule->blame != Blame::kSelf ? 0.5 : 0.0);
      if (c.second) c.weight -= kSecondEnd;
      c.order = order;
      const bool names_peer = item.rule != nullptr && !c.second &&
                              (item.rule->blame == Blame::kPeer || item.rule->blame == Blame::kConnection);
      if (names_peer && !item.finding.host.empty() && !c.host.empty() && item.finding.host != c.host) {
        pairs.emplace(item.finding.host, c.host);
      }
      auto [it, fresh] = found.try_emplace({c.rank, c.host}, c);
      if (!fresh && c.weight > it->second.weight) it->second = c;
      best = std::max(best, c.weight);
    }
  }
  std::vector<CulpritCandidate> list;
  for (auto& [key, c] : found) {
    if (c.weight >= best - 0.75) list.push_back(std::move(c));
  }
  const std::string common(CommonEnd(pairs));
  const auto elsewhere = [&](const CulpritCandidate& c) { return c.host != common; };
  if (!common.empty() && !std::all_of(list.begin(), list.end(), elsewhere)) std::erase_if(list, elsewhere);
  std::stable_sort(list.begin(), list.end(), [](const CulpritCandidate& a, const CulpritCandidate& b) {
    return std::make_tuple(-a.weight, a.order) < std::make_tuple(-b.weight, b.order);
  });
  // "h100-07" says nothing beside "rank 0 on h100-07".
  for (size_t i = list.size(); i-- > 1;) {
    const CulpritCandidate& named = list.front();
    if (list[i].rank < 0 && list[i].device.empty() && named.rank >= 0 && list[i].host == named.host) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  if (list.size() > kCulprits) list.resize(kCulprits);
  if (OneRankDid(hypothesis.cause)) {
    resolver.NameSilent(items, &list);
    // A rank that crashed and whose own lines tell no host. Of one that is late the peers lose each other.
    const bool placeless = list.size() == 1 && list[0].rank >= 0 && list[0].host.empty();
    if (placeless && hypothesis.cause == kRankCrashed) list[0].host = LostHost(model, items);
  }
  std::vector<Culprit> culprits;
  for (const CulpritCandidate& c : list) {
    Culprit out;
    out.rank = c.rank;
    out.host = c.host;
    out.device = c.device;
    out.why = c.why;
    if (c.by_neighbours) {
      out.why +=
          language == Language::kChinese ? "；主机由相邻 rank 推断" : "; its host is inferred from the ranks beside it";
    }
    if (c.process.valid()) {
      out.pid = model.processes[c.process.value].pid;
      out.gpu = model.processes[c.process.value].gpu;
    }
    if (out.gpu < 0) out.gpu = c.gpu;
    culprits.push_back(std::move(out));
  }
  return culprits;
}

bool BlameLostPeer(const JobModel& model, const std::vector<EvidenceItem>& items, Language language, Cause* cause) {
  if (!cause->culprits.empty() || cause->id != kRankCrashed) return false;
  Culprit c;
  c.host = LostHost(model, items);
  if (c.host.empty()) return false;
  c.why = language == Language::kChinese ? "被关闭的连接都通向它" : "the connections that closed led there";
  cause->culprits.push_back(std::move(c));
  return true;
}

}  // namespace ncclwhy

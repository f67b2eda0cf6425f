#include "analyze/alike_hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/rank_list.h"
#include "parser/complaints.h"

namespace ncclwhy {
namespace {

constexpr size_t kNamed = 3;

}  // namespace

bool FailsByItself(const CauseKnowledge& known) { return known.about == "host" || known.about == "device"; }

std::vector<std::string_view> AlikeHosts(const CaseFile& c, const CauseKnowledge& known,
                                         const std::vector<Culprit>& culprits, const TemplateValues& values) {
  const CauseTraits& traits = c.kb.TraitsOf(known.id);
  // Only one can have ended or stopped first.
  if (!FailsByItself(known) && (traits.gone || traits.waits)) return {};
  std::vector<std::string_view> hosts;
  for (const Culprit& culprit : culprits) {
    // "its ranks 0, 1 print the failing line", "its ranks 2, 3 print the failing line"
    if (culprit.host.empty() || SentenceOf(culprit.why) != SentenceOf(culprits.front().why)) return {};
    if (c.environment.IsPod(culprit.host)) continue;  // it runs on one of them
    if (std::find(hosts.begin(), hosts.end(), culprit.host) == hosts.end()) hosts.push_back(culprit.host);
  }
  // What lies between two hosts is printed by both: only three are more than its two ends.
  const bool two_ends = traits.both_ends || values.contains("compared");
  const size_t alike = two_ends ? 3 : 2;
  if (hosts.size() < alike) return {};
  return hosts;
}

std::string JoinHosts(const std::vector<std::string_view>& hosts, Language language) {
  const bool zh = language == Language::kChinese;
  std::string out;
  for (size_t i = 0; i < hosts.size() && i < kNamed; ++i) {
    const bool last = i + 1 == hosts.size();
    if (i > 0) out += zh ? "、" : last ? " and " : ", ";
    out += hosts[i];
  }
  if (hosts.size() > kNamed) {
    out += fmt::format(fmt::runtime(zh ? " 等 {} 台" : " and {} more"), hosts.size() - (zh ? 0 : kNamed));
  }
  return out;
}

std::set<std::string> VaryingValues(const CaseFile& c, const Hypothesis& h) {
  // Of one culprit by nature.
  std::set<std::string> varying = {"rank", "who", "pid", "gpu", "peer_rank", "local_rank", "compared", "last_words"};
  std::map<std::string_view, std::string_view> first;
  for (const size_t n : h.evidence) {
    const Finding& f = c.items[n].finding;
    if (f.role != Role::kRoot) continue;
    for (const auto& [name, value] : f.fields) {
      if (name != "host" && first.emplace(name, value).first->second != value) varying.insert(name);
    }
  }
  return varying;
}

std::string AlikeRanks(const CaseFile& c, const CauseKnowledge& known, const std::vector<Culprit>& culprits) {
  const CauseTraits& traits = c.kb.TraitsOf(known.id);
  if (culprits.size() < 2 || culprits.front().host.empty() || traits.gone || traits.waits) return {};
  std::vector<int32_t> ranks;
  bool one_host = true;
  for (const Culprit& culprit : culprits) {
    const Culprit& first = culprits.front();
    if (culprit.rank < 0 || culprit.why != first.why) return {};
    one_host = one_host && culprit.host == first.host;
    ranks.push_back(culprit.rank);
  }
  // Of hosts that fail by themselves AlikeSentence says more.
  if (!one_host && (FailsByItself(known) || ranks.size() <= kNamed)) return {};
  std::sort(ranks.begin(), ranks.end());
  const std::string list = RankListText(ranks);
  if (!one_host) return c.chinese() ? "rank " + list + " 都是如此。" : " Ranks " + list + " all show it.";
  return c.chinese() ? "该主机的 rank " + list + " 都是如此。" : " Its ranks " + list + " all show it.";
}

void EraseOfOneRank(TemplateValues* values) {
  for (const std::string_view name : {"rank", "who", "pid", "gpu", "local_rank"}) {
    if (const auto it = values->find(name); it != values->end()) values->erase(it);
  }
}

std::string AlikeSentence(const CaseFile& c, const CauseKnowledge& known, const std::vector<std::string_view>& hosts,
                          std::string_view summary) {
  if (hosts.size() < 2) return {};
  const bool zh = c.language == Language::kChinese;
  if (!FailsByItself(known)) {
    // "Rank 0 and rank 1 on gpu-2 use the same GPU": of the others nothing is said.
    std::vector<std::string_view> untold;
    std::copy_if(hosts.begin(), hosts.end(), std::back_inserter(untold),
                 [&](std::string_view host) { return summary.find(host) == std::string_view::npos; });
    if (untold.empty() || untold.size() == hosts.size()) return {};
    const std::string others = JoinHosts(untold, c.language);
    return zh ? others + " 上也是如此。" : " The same on " + others + ".";
  }
  const std::string others = JoinHosts({hosts.begin() + 1, hosts.end()}, c.language);
  if (c.kb.TraitsOf(known.id).both_ends) {
    return zh ? others + " 也同样失败：更可能是它们共同的对端或其间的网络，而不是每台各有故障。"
              : " " + others +
                    " failed alike: a peer that all of them talk to, or the fabric between, is likelier than a fault "
                    "of each.";
  }
  return zh ? others + " 也同样失败：更可能是它们共有的设置或版本，而不是每台各有硬件故障。"
            : " " + others +
                  " failed alike: what they share, a setting or a version, is likelier than a fault of each.";
}

}  // namespace ncclwhy

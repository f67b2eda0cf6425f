#include "report/gathered_culprits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rank_list.h"
#include "report/phrases.h"

namespace ncclwhy {
namespace {

// Ranks without a host, and ranks of several hosts, of which the same is told: "ranks 0, 1", "rank 1 on gpu-a16, rank 3
// on gpu-a17".
// A reason that several have in common is told once, with all their names in front.
void GatherAlike(const Words& words, std::vector<Culprit>* culprits) {
  constexpr size_t kNames = 4;
  std::vector<Culprit>& all = *culprits;
  for (size_t i = 0; i < all.size(); ++i) {
    // A device of its own keeps its line: it is what has to be replaced.
    if (all[i].why.empty() || !all[i].device.empty()) continue;
    std::vector<Culprit> alike;
    for (size_t k = i; k < all.size(); ++k) {
      if (all[k].why == all[i].why && all[k].device.empty()) alike.push_back(all[k]);
    }
    if (alike.size() < 2) continue;
    Culprit together;
    together.why = all[i].why;
    // Without any host ranks are a list of numbers.
    if (std::all_of(alike.begin(), alike.end(), [](const Culprit& c) { return c.rank >= 0 && c.host.empty(); })) {
      std::vector<int32_t> ranks;
      for (const Culprit& each : alike) ranks.push_back(each.rank);
      together.host = RanksNamed(ranks, words);
    } else {
      // "vmb, vma (rank 1)": where one has no rank, hosts come first.
      const bool by_host = std::any_of(alike.begin(), alike.end(), [](const Culprit& c) { return c.rank < 0; });
      for (size_t n = 0; n < std::min(alike.size(), kNames); ++n) {
        Culprit name = alike[n];
        // Pid and GPU would be those of one.
        name.pid = name.gpu = -1;
        if (by_host && name.rank >= 0 && !name.host.empty()) {
          name.host += fmt::format(" ({})", RanksNamed({name.rank}, words));
          name.rank = -1;
        }
        together.host += (n == 0 ? "" : std::string(words.list_separator)) + CulpritName(name, words);
      }
      if (alike.size() > kNames) {
        together.host += " " + Counted(words.more_culprits, alike.size() - kNames);
      }
    }
    // The first one's place is that of all.
    std::erase_if(all, [&](const Culprit& c) { return &c != &all[i] && c.why == together.why && c.device.empty(); });
    all[i] = std::move(together);
  }
}

}  // namespace

std::vector<Culprit> Gathered(const std::vector<Culprit>& culprits, const Words& words) {
  std::vector<Culprit> out;
  std::vector<std::vector<int32_t>> ranks;  // parallel to `out`
  for (const Culprit& culprit : culprits) {
    // Without rank or host there is nothing that two could share.
    size_t same = culprit.rank < 0 || culprit.host.empty() ? out.size() : 0;
    while (same < out.size() && (out[same].rank < 0 || out[same].host != culprit.host || out[same].why != culprit.why ||
                                 out[same].device != culprit.device)) {
      ++same;
    }
    if (same == out.size()) {
      out.push_back(culprit);
      ranks.emplace_back();
    }
    if (culprit.rank >= 0) ranks[same].push_back(culprit.rank);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (ranks[i].size() < 2) continue;
    Culprit host;
    // "gpu-a17: ranks 0-3".
    host.host = fmt::format(fmt::runtime(words.ranks_of_host), out[i].host, RankRanges(ranks[i]));
    host.device = out[i].device;
    host.why = out[i].why;
    out[i] = std::move(host);
  }
  GatherAlike(words, &out);
  return out;
}

}  // namespace ncclwhy

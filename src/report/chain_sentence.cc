#include <algorithm>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "report/phrases.h"
#include "report/proof.h"
#include "report/words.h"

namespace ncclwhy {

std::string ChainSentence(const Report& report, const std::vector<Proof>& quoted, const Words& words, size_t columns,
                          size_t row) {
  std::string follow;
  if (!report.followers.empty()) follow = Filled(words.only_follow, RanksNamed(report.followers, words));
  const size_t taken = follow.empty() ? 0 : DisplayWidth(follow) + words.then_separator.size();
  const bool wide = columns == std::string::npos;
  const std::string chain = Joined(ChainOf(report, quoted, words), wide ? columns : columns - std::min(taken, columns));
  if (follow.empty() || (chain.empty() && row != std::string::npos)) return chain;
  if (chain.empty()) return follow;
  // "ranks 1, 3: socketProgress: Connection closed …" says it of all of them.
  if (chain.find(RanksNamed(report.followers, words)) != std::string::npos) return chain;
  const std::string both = chain + std::string(words.then_separator) + follow;
  // Who only follows is worth the rest of a row, and none of its own.
  const size_t label = DisplayWidth(words.chain) + 2;
  return (DisplayWidth(both) + label) / row > (DisplayWidth(chain) + label) / row ? chain : both;
}

}  // namespace ncclwhy

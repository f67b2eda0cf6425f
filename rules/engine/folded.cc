#include "rules/engine/folded.h"

namespace ncclwhy {
namespace {

constexpr size_t kListed = 4096;  // ranks
constexpr size_t kTold = 200;     // bytes that tell one thing from another

}  // namespace

void ListedRanks::Note(std::string_view rank, std::string_view what) {
  if (rank.empty() || what.empty() || said_.size() >= kListed) return;
  said_.try_emplace(std::string(rank), what.substr(0, kTold));
}

void ListedRanks::Tell(Finding* finding) const {
  if (said_.size() < 3) return;
  std::map<std::string_view, size_t> ranks_of;
  for (const auto& [rank, what] : said_) ++ranks_of[what];
  if (ranks_of.size() < 2) return;
  std::string odd;
  for (const auto& [rank, what] : said_) {
    // Two things are said, and one of them of a single rank: with three, everybody is in another place.
    if (ranks_of[what] == 1 && ranks_of.size() == 2) odd = rank;
  }
  // The first line's capture, which named whoever happens to be listed first.
  finding->fields.erase("culprit_rank");
  if (!odd.empty()) finding->fields.emplace("culprit_rank", odd);
}

}  // namespace ncclwhy

#include "analyze/host_blocks.h"

#include <algorithm>
#include <string_view>

namespace ncclwhy {

namespace {

struct Seen {
  int32_t rank;
  std::string_view host;
  bool operator<(const Seen& o) const { return rank < o.rank; }
};

// Ranks whose host is known: of the largest communicator, or of the processes where none was begun.
std::vector<Seen> SeenRanks(const JobModel& model) {
  std::vector<Seen> out;
  if (model.largest.valid()) {
    for (const Rank& r : model.communicators[model.largest.value].ranks) {
      if (r.seen && !r.host.empty()) out.push_back({r.rank, r.host});
    }
    return out;
  }
  for (const Process& p : model.processes) {
    if (p.rank >= 0 && !p.host.empty()) out.push_back({p.rank, p.host});
  }
  std::stable_sort(out.begin(), out.end());
  return out;
}

}  // namespace

HostBlocks::HostBlocks(const JobModel& model) {
  struct Block {
    int32_t first = INT32_MAX, last = -1, ranks = 0;
  };
  std::map<std::string_view, Block> blocks;
  Seen before{-1, {}};
  for (const Seen& r : SeenRanks(model)) {
    // Equal ranks follow one another in the sorted list.
    if (r.rank == before.rank && r.host == before.host) continue;  // the same rank of another process
    Block& b = blocks[r.host];
    b.first = std::min(b.first, r.rank);
    b.last = std::max(b.last, r.rank);
    ++b.ranks;
    before = r;
  }
  // The fullest host tells how many ranks a host holds.
  for (const auto& [host, b] : blocks) size_ = std::max(size_, b.ranks);
  // Processes without a communicator are those that printed a host; others may be elsewhere.
  if (blocks.size() == 1 && model.largest.valid()) only_ = blocks.begin()->first;
  if (blocks.size() < 2 && !model.largest.valid()) return;
  for (const auto& [host, b] : blocks) {
    // `b.first / size_`: ranks are given out host by host, so a block begins at a multiple of its size.
    const bool aligned = b.first / size_ == b.last / size_;
    if (b.ranks < size_ && aligned) with_room_[b.first / size_].emplace_back(host);
  }
}

std::string HostBlocks::HostOf(int32_t rank) const {
  if (rank < 0 || size_ == 0) return {};
  // Two hosts with room in that block: it could be either.
  const auto block = with_room_.find(rank / size_);
  if (block != with_room_.end() && block->second.size() == 1) return block->second.front();
  return only_;
}

}  // namespace ncclwhy

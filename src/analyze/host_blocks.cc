#include "analyze/host_blocks.h"

#include <algorithm>
#include <string_view>

namespace ncclwhy {

HostBlocks::HostBlocks(const JobModel& model) {
  if (!model.largest.valid()) return;
  struct Block {
    int32_t first = INT32_MAX, last = -1, ranks = 0;
  };
  std::map<std::string_view, Block> blocks;
  int32_t before = -1;
  std::string_view host_before;
  for (const Rank& r : model.communicators[model.largest.value].ranks) {
    if (!r.seen || r.host.empty()) continue;
    if (r.rank == before && r.host == host_before) continue;  // the same rank of another process
    Block& b = blocks[r.host];
    b.first = std::min(b.first, r.rank);
    b.last = std::max(b.last, r.rank);
    ++b.ranks;
    before = r.rank;
    host_before = r.host;
  }
  for (const auto& [host, b] : blocks) size_ = std::max(size_, b.ranks);
  if (blocks.size() == 1) only_ = blocks.begin()->first;
  for (const auto& [host, b] : blocks) {
    const bool aligned = b.first / size_ == b.last / size_;
    if (b.ranks < size_ && aligned) with_room_[b.first / size_].emplace_back(host);
  }
}

std::string HostBlocks::HostOf(int32_t rank) const {
  if (rank < 0 || size_ == 0) return {};
  const auto block = with_room_.find(rank / size_);
  if (block != with_room_.end() && block->second.size() == 1) return block->second.front();
  return only_;
}

}  // namespace ncclwhy

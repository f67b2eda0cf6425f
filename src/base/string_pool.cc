#include "base/string_pool.h"

#include <algorithm>
#include <cstring>

namespace ncclwhy {
namespace {
// Blocks double up to the larger size: a job of 16,384 ranks has as many pools, most of them with little in them.
constexpr size_t kFirstBlock = 1024;
constexpr size_t kLargestBlock = 64 * 1024;
}  // namespace

StringPool::StringPool() { Intern({}); }

char* StringPool::Allocate(size_t n) {
  if (block_size_ - block_used_ < n) {
    block_size_ = std::max(std::clamp(bytes_, kFirstBlock, kLargestBlock), n);
    blocks_.push_back(std::make_unique<char[]>(block_size_));
    block_used_ = 0;
  }
  char* p = blocks_.back().get() + block_used_;
  block_used_ += n;
  bytes_ += n;
  return p;
}

StringId StringPool::Intern(std::string_view text) {
  if (auto it = index_.find(text); it != index_.end()) return StringId{it->second};
  std::string_view stored;
  if (!text.empty()) {
    char* p = Allocate(text.size());
    std::memcpy(p, text.data(), text.size());
    stored = {p, text.size()};
  }
  const auto id = static_cast<uint32_t>(views_.size());
  views_.push_back(stored);
  index_.emplace(stored, id);
  return StringId{id};
}

StringId StringPool::Find(std::string_view text) const {
  auto it = index_.find(text);
  return it == index_.end() ? StringId{} : StringId{it->second};
}

}  // namespace ncclwhy

#include "run/unlogged_output.h"

#include <algorithm>

namespace ncclwhy {

void UnloggedOutput::Add(std::string_view bytes) {
  // Longer than the ring: only its end could be read anyhow.
  uint64_t total = total_.load(std::memory_order_relaxed);
  if (bytes.size() > kBytes) {
    total += bytes.size() - kBytes;
    bytes.remove_prefix(bytes.size() - kBytes);
  }
  while (!bytes.empty()) {
    const size_t at = static_cast<size_t>(total % kBytes);
    const size_t take = std::min(bytes.size(), kBytes - at);
    std::copy_n(bytes.data(), take, ring_.data() + at);
    total += take;
    bytes.remove_prefix(take);
  }
  // The bytes are there before the number says so.
  total_.store(total, std::memory_order_release);
}

std::string UnloggedOutput::Text() const {
  const uint64_t total = total_.load(std::memory_order_acquire);
  if (total <= kBytes) return {ring_.data(), static_cast<size_t>(total)};
  const size_t at = static_cast<size_t>(total % kBytes);
  std::string out(ring_.data() + at, kBytes - at);
  out.append(ring_.data(), at);
  // Where the ring begins the middle of a line stands.
  return out.erase(0, out.find('\n') + 1);
}

}  // namespace ncclwhy

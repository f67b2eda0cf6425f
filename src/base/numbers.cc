#include "base/numbers.h"

#include <algorithm>

namespace ncclwhy {

int32_t VersionCode(std::string_view text) {
  int32_t parts[3] = {0, 0, 0};
  int n = 0;
  const char* p = text.data();
  const char* end = p + text.size();
  while (n < 3) {
    int32_t v = 0;
    const auto [next, error] = std::from_chars(p, end, v);
    if (error != std::errc{} || v < 0) break;
    parts[n] = std::min(v, n == 0 ? 200'000 : 99);
    ++n;
    if (next == end || *next != '.') break;
    p = next + 1;
  }
  return n < 2 ? 0 : parts[0] * 10000 + parts[1] * 100 + parts[2];
}

HumanBytes ToHumanBytes(uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return {value, kUnits[unit]};
}

}  // namespace ncclwhy

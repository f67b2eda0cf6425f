#include "base/numbers.h"

#include <algorithm>

namespace ncclwhy {

HumanBytes ToHumanBytes(uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  // Beyond 2^53 the value is rounded, far below what two digits behind the point show.
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return {value, kUnits[unit]};
}

}  // namespace ncclwhy

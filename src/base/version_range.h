// Versions of NCCL and ranges of them, as rules, messages and known bugs write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ncclwhy {

// "2.28.9", "2.28.9+cuda13.0", "2.7" → 22809, 22809, 20700. Zero when it does not begin with two numbers. NCCL's own
// code since 2.9 (NCCL_VERSION_CODE); older releases are given the same shape, so that versions compare. Parts above 99
// count as 99, a first one above 200,000 as that: no text makes the code overflow.
// What stands behind the numbers is not looked at: "2.28.9+cuda13.0" and "2.28.9-1" are one release.
int32_t VersionCode(std::string_view text);

// Both ends belong to it. Open ends are 0 and INT32_MAX.
struct VersionRange {
  int32_t first = 0;
  int32_t last = INT32_MAX;

  bool limited() const { return first != 0 || last != INT32_MAX; }
  // `version` is a VersionCode; 0, an unknown one, is in no limited range.
  bool Contains(int32_t version) const { return !limited() || (version > 0 && version >= first && version <= last); }
};

// "2.4..2.21", "..2.18.1", "2.22..", "2.19.3". A version without its third number means all releases with the first
// two: "2.19" is 2.19.0 to 2.19.99, and "..2.21" ends with the last 2.21.x. Nothing when it is none of these.
std::optional<VersionRange> ParseVersionRange(std::string_view text);

}  // namespace ncclwhy

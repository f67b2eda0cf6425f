#include "base/version_range.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace ncclwhy {
namespace {

constexpr int32_t kLargestMajor = 200'000;  // keeps the code of a hostile number in 32 bits
constexpr int32_t kLargestPart = 99;

// The first and the last release that one end of a range may mean.
std::optional<VersionRange> OneVersion(std::string_view text) {
  const auto dots = std::count(text.begin(), text.end(), '.');
  const bool clean = std::all_of(text.begin(), text.end(), [](char c) { return IsDigit(c) || c == '.'; });
  const int32_t code = VersionCode(text);
  if (!clean || dots < 1 || dots > 2 || code == 0 || !IsDigit(text.back())) return std::nullopt;
  return VersionRange{code, dots == 2 ? code : code + kLargestPart};
}

}  // namespace

int32_t VersionCode(std::string_view text) {
  int32_t parts[3] = {0, 0, 0};
  int n = 0;
  const char* p = text.data();
  const char* end = p + text.size();
  while (n < 3) {
    int32_t v = 0;
    const auto [next, error] = std::from_chars(p, end, v);
    if (error != std::errc{} || v < 0) break;
    parts[n] = std::min(v, n == 0 ? kLargestMajor : kLargestPart);
    ++n;
    if (next == end || *next != '.') break;
    p = next + 1;
  }
  return n < 2 ? 0 : parts[0] * 10000 + parts[1] * 100 + parts[2];
}

std::optional<VersionRange> ParseVersionRange(std::string_view text) {
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) return OneVersion(text);
  VersionRange range;
  const std::string_view first = text.substr(0, dots);
  const std::string_view last = text.substr(dots + 2);
  if (first.empty() && last.empty()) return std::nullopt;
  // Both ends may mean several releases: "2.19..2.21" is 2.19.0 to 2.21.99.
  if (!first.empty()) {
    const auto version = OneVersion(first);
    if (!version) return std::nullopt;
    range.first = version->first;
  }
  if (!last.empty()) {
    const auto version = OneVersion(last);
    if (!version) return std::nullopt;
    range.last = version->last;
  }
  if (range.first > range.last) return std::nullopt;
  return range;
}

}  // namespace ncclwhy

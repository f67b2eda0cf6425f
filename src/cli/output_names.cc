#include "cli/output_names.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "report/renderer.h"

namespace ncclwhy {
namespace {

constexpr std::array<std::string_view, 3> kTimelines = {".db", ".sqlite", ".sqlite3"};
// What people call text.
constexpr std::array<std::string_view, 5> kTexts = {".txt", ".text", ".log", ".out", ".report"};
// Longer ones are of mktemp(1): /tmp/tmp.aB3xK9pQzL
constexpr size_t kLongestSuffix = 6;

}  // namespace

bool IsTimelineName(std::string_view path) {
  return std::any_of(kTimelines.begin(), kTimelines.end(), [&](auto suffix) { return path.ends_with(suffix); });
}

std::string UnknownSuffix(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const size_t dot = name.rfind('.');
  // `.report` is a hidden file without a suffix.
  if (dot == std::string_view::npos || dot == 0 || FormatOfFile(name) != nullptr || IsTimelineName(name)) return {};
  const std::string_view suffix = name.substr(dot);
  const bool word = suffix.size() <= kLongestSuffix && std::all_of(suffix.begin() + 1, suffix.end(), IsAlpha);
  if (!word || std::find(kTexts.begin(), kTexts.end(), suffix) != kTexts.end()) return {};
  std::string known;
  for (const std::string& format : FormatNames()) {
    const std::string_view own = FindFormat(format)->suffix;
    if (!own.empty()) known += std::string(own) + " ";
  }
  return std::string(path) + ": written as text; " + known + ".db name other forms";
}

}  // namespace ncclwhy

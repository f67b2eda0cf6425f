#include "base/host_name.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"

namespace ncclwhy {
namespace {

// A word with a number that tells something else: rank3, attempt-2.
constexpr std::array<std::string_view, 26> kNoHost = {
    "rank",    "ranks",   "proc", "process", "local", "localrank", "task", "job",  "run",
    "attempt", "restart", "try",  "trial",   "epoch", "stdout",    "step", "part", "seed",
    "exp",     "version", "pid",  "fold",    "gpu",   "log",       "case", "test"};

}  // namespace

bool LooksLikeHost(std::string_view word) {
  // Three characters: `r1`, `p0` are no hosts.
  if (word.size() < 3 || !IsAlpha(word[0]) || std::none_of(word.begin(), word.end(), IsDigit)) return false;
  size_t letters = 0;
  while (letters < word.size() && IsAlpha(word[letters])) ++letters;
  std::string stem(word.substr(0, letters));
  std::transform(stem.begin(), stem.end(), stem.begin(), [](char c) { return static_cast<char>(c | 0x20); });
  const bool numbered = std::all_of(word.begin() + static_cast<std::ptrdiff_t>(letters), word.end(),
                                    [](char c) { return IsDigit(c) || c == '-'; });
  return !(numbered && std::find(kNoHost.begin(), kNoHost.end(), stem) != kNoHost.end());
}

}  // namespace ncclwhy

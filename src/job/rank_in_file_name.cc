#include "job/rank_in_file_name.h"

#include <algorithm>

#include "base/numbers.h"
#include "base/text.h"

namespace ncclwhy {

// One pass for a named number, one for a number alone; two numbers that nothing names tell nothing.
NumberInName NumberInFileName(std::string_view path) {
  const size_t slash = path.find_last_of("/:");
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  // What a machine says is of a host: dmesg-tw-mi-19.txt, dmesg/cn207.txt
  const auto has = [&](std::string_view word) { return name.find(word) != std::string_view::npos; };
  const std::string_view folders = path.substr(0, path.size() - name.size());
  const std::string_view folder =
      folders.size() < 2 ? folders : folders.substr(folders.find_last_of("/:", folders.size() - 2) + 1);
  for (const std::string_view machine : {"dmesg", "kern", "journal", "syslog", "-smi"}) {
    if (has(machine) || folder.starts_with(machine)) return {};
  }
  // host-3.log and log-host_3.log are of a host, host-3-rank12.log of a rank on it; localhost and ghost name none.
  const size_t host = has("rank") ? std::string_view::npos : std::min(name.find("host-"), name.find("host_"));
  if (host != std::string_view::npos && (host == 0 || !IsAlnum(name[host - 1]))) return {};
  // A named number wins: rank3, rank_3, worker-2, proc0, task7.
  for (const std::string_view word : {"rank", "worker", "proc", "task", "node", "r"}) {
    for (size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
      if (word == "r" && at != 0) continue;
      size_t p = at + word.size();
      while (p < name.size() && (name[p] == '-' || name[p] == '_' || name[p] == '.')) ++p;
      size_t end = p;
      while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
      // More than six digits are a date or a pid; behind letters it is an id: worker-7be19d20c1.err
      if (end == p || end - p > 6 || (end < name.size() && IsAlpha(name[end]))) continue;
      if (const auto v = ParseInt<int32_t>(name.substr(p, end - p))) return {*v, word == "rank" ? kRank : kBare};
    }
  }
  int32_t found = -1;
  for (size_t p = 0; p < name.size();) {
    if (name[p] < '0' || name[p] > '9') {
      ++p;
      continue;
    }
    size_t end = p;
    while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
    // `train-17-2025.log`: two numbers, and nothing says which.
    if (found >= 0 || end - p > 6) return {};
    found = ParseInt<int32_t>(name.substr(p, end - p)).value_or(-1);
    p = end;
  }
  return {found, kBare};
}

int32_t RankInFileName(std::string_view path) { return NumberInFileName(path).number; }

}  // namespace ncclwhy

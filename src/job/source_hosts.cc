#include "job/source_hosts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>

#include "base/host_name.h"
#include "base/text.h"

namespace ncclwhy {
namespace {

// In front of a host: `node0-h200-13`, `dmesg-gpu-c12`, `launch-h100-24`.
constexpr std::array<std::string_view, 28> kInFront = {
    "host",   "node", "rank",   "proc",   "task",     "worker", "dmesg",  "kern",     "journal", "syslog",
    "smi",    "nccl", "stacks", "launch", "launcher", "srun",   "mpirun", "torchrun", "slurmd",  "console",
    "output", "out",  "err",    "stderr", "stdout",   "log",    "digest", "collect"};

template <size_t N>
bool IsOneOf(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// What stands behind `node0-` or `dmesg-`, if that is a host by itself.
std::string_view WithoutFront(std::string_view word) {
  const size_t hyphen = word.find('-');
  if (hyphen == std::string_view::npos) return word;
  std::string_view front = word.substr(0, hyphen);
  while (!front.empty() && IsDigit(front.back())) front.remove_suffix(1);
  const std::string_view rest = word.substr(hyphen + 1);
  return IsOneOf(kInFront, front) && LooksLikeHost(rest) ? rest : word;
}

// The number of a job or of a process, in front of which a name stands; hosts are counted from 0 or 1, or with zeros.
//   sweep-61277.out    not nid006433.log, kohya-vmss000007.log
bool EndsInJobNumber(std::string_view word) {
  constexpr size_t kLongestCount = 4;
  size_t begin = word.size();
  while (begin > 0 && IsDigit(word[begin - 1])) --begin;
  return word.size() - begin > kLongestCount && word[begin] != '0';
}

// n1.log … n6.log: the shortest names that people give to nodes.
bool IsShortNode(std::string_view word) { return word.size() == 2 && word[0] == 'n' && IsDigit(word[1]); }

// Words of a path that may be hosts; dots, slashes and underscores part them, hyphens do not.
std::vector<std::string_view> WordsOf(std::string_view name) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at < name.size();) {
    const size_t end = std::min(name.find_first_of("/\\._ :", at), name.size());
    // `dmesg-gpu-c12` has a front that is a word of its own.
    const std::string_view word = name.substr(at, end - at);
    if (IsShortNode(word)) words.push_back(word);
    if (LooksLikeHost(word) && !EndsInJobNumber(word)) words.push_back(WithoutFront(word));
    at = end + 1;
  }
  return words;
}

// xgx3-gx3.log: gx3 within another word, and as one.
bool StandsAlone(std::string_view word, std::string_view name) {
  for (size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !IsAlnum(name[at - 1])) && (end == name.size() || !IsAlnum(name[end]))) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> HostsInNames(const std::vector<std::string_view>& names) {
  std::map<std::string_view, size_t> in_names;  // word -> how many have it
  std::vector<std::vector<std::string_view>> words;
  for (const std::string_view name : names) {
    words.push_back(WordsOf(name));
    for (const std::string_view word : std::set<std::string_view>(words.back().begin(), words.back().end())) {
      ++in_names[word];
    }
  }
  std::vector<std::string> hosts(names.size());
  std::set<std::string_view> different;
  for (size_t i = 0; i < names.size(); ++i) {
    std::set<std::string_view> own;
    for (const std::string_view word : words[i]) {
      // A word that all names have is a job, a date or a project.
      if (in_names[word] < names.size()) own.insert(word);
    }
    // Two such words: which of them is the host?
    if (own.size() != 1) continue;
    hosts[i] = std::string(*own.begin());
    different.insert(*own.begin());
  }
  // The same word in all: it tells nothing of where.
  if (different.size() < 2) hosts.assign(names.size(), {});
  return hosts;
}

std::string KnownHostInName(std::string_view path, const std::vector<std::string>& hosts) {
  constexpr size_t kLeast = 3;  // letters: `a` and `n1` stand in many names
  const std::string_view name = path.substr(path.rfind('/') + 1);
  std::string_view found;
  for (const std::string_view host : hosts) {
    if (host.size() < kLeast || !StandsAlone(host, name)) continue;
    // Of gpu-b and gpu-b-2 the longer one is meant.
    if (!found.empty() && found.find(host) == std::string_view::npos && host.find(found) == std::string_view::npos) {
      return {};
    }
    if (host.size() > found.size()) found = host;
  }
  return std::string(found);
}

}  // namespace ncclwhy

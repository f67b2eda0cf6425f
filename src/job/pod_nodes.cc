#include "job/pod_nodes.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/text.h"

namespace ncclwhy {
namespace {

// Node:             gx7/10.4.0.17
std::string_view Described(std::string_view text) {
  constexpr std::string_view kNode = "Node:";
  const std::vector<std::string_view> words = SplitWords(text);
  if (words.size() != 2 || words[0] != kNode) return {};
  return words[1].substr(0, words[1].find('/'));
}

// The column of `kubectl get pods -o wide` that is headed NODE, counted from the end, as `RESTARTS` may be two words
// (`3 (5m ago)`); 0: the row is no such heading.
size_t NodeColumn(const std::vector<std::string_view>& words) {
  const bool heads = words.size() > 3 && words[0] == "NAME" && words[1] == "READY" && words[2] == "STATUS";
  if (!heads) return 0;
  // `NOMINATED NODE` and `READINESS GATES` are two words, of which a row has one.
  const auto node = std::find(words.begin(), words.end(), "NODE");
  if (node == words.end() || (node != words.begin() && *std::prev(node) == "NOMINATED")) return 0;
  size_t behind = static_cast<size_t>(words.end() - node);
  for (const std::string_view second : {"NOMINATED", "READINESS"}) {
    if (std::find(node, words.end(), second) != words.end()) --behind;
  }
  return behind;
}

// Calls `found(pod, node)` for all that rows tell.
template <typename Found>
void ForEachPod(const JobModel& model, const Found& found) {
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& facts = *model.sources[s];
    size_t column = 0;
    for (const SideRow& row : facts.rows) {
      const std::string_view text = facts.Str(row.text);
      if (const std::string_view node = Described(text); !node.empty()) {
        found(model.HostAt(SourceId{s}, row.line), node);
      }
      const std::vector<std::string_view> words = SplitWords(text);
      if (const size_t heads = NodeColumn(words); heads > 0) {
        column = heads;
      } else if (column > 0 && words.size() > column + 1) {
        found(words[0], words[words.size() - column]);
      }
    }
  }
}

}  // namespace

std::string NodeOfPod(const JobModel& model, std::string_view pod) {
  std::set<std::string_view> nodes;
  ForEachPod(model, [&](std::string_view each, std::string_view node) {
    if (each == pod && node != "<none>") nodes.insert(node);
  });
  return nodes.size() == 1 ? std::string(*nodes.begin()) : std::string();
}

std::string PodOnNode(const JobModel& model, std::string_view node) {
  std::set<std::string_view> pods;
  const auto is_one_of = [](const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  ForEachPod(model, [&](std::string_view pod, std::string_view each) {
    if (each != node) return;
    if (is_one_of(model.hosts, pod) || is_one_of(model.source_hosts, pod)) pods.insert(pod);
  });
  return pods.size() == 1 ? std::string(*pods.begin()) : std::string();
}

}  // namespace ncclwhy

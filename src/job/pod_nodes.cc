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

}  // namespace

PodNodes::PodNodes(const JobModel& model) {
  const std::set<std::string_view> hosts(model.hosts.begin(), model.hosts.end());
  const std::set<std::string_view> named(model.source_hosts.begin(), model.source_hosts.end());
  const auto add = [&](std::string_view pod, std::string_view node) {
    if (pod.empty() || node.empty() || node == "<none>") return;
    nodes_[pod].insert(node);
    if (hosts.contains(pod) || named.contains(pod)) pods_[node].insert(pod);
  };
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& facts = *model.sources[s];
    size_t column = 0;
    for (const SideRow& row : facts.rows) {
      const std::string_view text = facts.Str(row.text);
      const bool heads = text.find("NAME ") != std::string_view::npos;
      if (text.find("Node:") != std::string_view::npos) add(model.HostAt(SourceId{s}, row.line), Described(text));
      if (!heads && column == 0) continue;
      const std::vector<std::string_view> words = SplitWords(text);
      if (const size_t at = heads ? NodeColumn(words) : 0; at > 0) {
        column = at;
      } else if (column > 0 && words.size() > column + 1) {
        add(words[0], words[words.size() - column]);
      }
    }
  }
}

std::string PodNodes::NodeOf(std::string_view pod) const {
  const auto it = nodes_.find(pod);
  return it != nodes_.end() && it->second.size() == 1 ? std::string(*it->second.begin()) : std::string();
}

std::string PodNodes::PodOn(std::string_view node) const {
  const auto it = pods_.find(node);
  return it != pods_.end() && it->second.size() == 1 ? std::string(*it->second.begin()) : std::string();
}

}  // namespace ncclwhy

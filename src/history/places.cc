#include "history/places.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/host_list.h"
#include "base/json.h"
#include "base/text.h"
#include "history/past_job.h"

namespace ncclwhy {
namespace {

using Words = std::vector<std::string_view>;

// Views of `line`.
Words WordsOf(std::string_view line) {
  Words words;
  for (size_t at = 0; at < line.size();) {
    const size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == std::string_view::npos) break;
    const size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    at = end;
  }
  return words;
}

// Without blank lines and comments.
template <typename Visit>
void ForEachLine(std::string_view text, Visit visit) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (const size_t mark = line.find_first_not_of(" \t"); mark != std::string_view::npos && line[mark] != '#') {
      visit(line);
    }
    at = end + 1;
  }
}

// Hosts and switches below each switch or block.
class Tree {
 public:
  // What several lines say of one place adds up: topology.yaml has nodes and children in lines of their own. `children`
  // are names of switches.
  void Add(const std::string& place, std::string_view nodes, std::string_view children) {
    Below& below = below_[place];
    for (std::string& host : ExpandHostList(nodes)) below.hosts.insert(std::move(host));
    for (std::string& child : ExpandHostList(children)) below.places.insert("switch " + child);
  }
  bool empty() const { return below_.empty(); }
  // A walk from every place down, not one from the top: a host is below each switch of its path, and with two roots
  // there is no top.
  void AllPlaces(std::set<HostPlace>* out) const {
    for (const auto& [place, below] : below_) {
      std::set<std::string> seen;
      Walk(place, place, &seen, out);
    }
  }

 private:
  struct Below {
    std::set<std::string> hosts;
    std::set<std::string> places;
  };
  // A file may name a switch below itself.
  void Walk(const std::string& top, const std::string& place, std::set<std::string>* seen,
            std::set<HostPlace>* out) const {
    const auto found = below_.find(place);
    // And a place that is reached twice is walked once; kPlaces bounds what a forged file can make of few lines.
    if (found == below_.end() || !seen->insert(place).second || out->size() >= kPlaces) return;
    for (const std::string& host : found->second.hosts) out->insert({host, top});
    for (const std::string& child : found->second.places) Walk(top, child, seen, out);
  }

  std::map<std::string, Below> below_;
};

// SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=node[01-16]
// false: no line of this kind. A switch without nodes and children is one.
bool AddSlurmLine(std::string_view line, Tree* tree) {
  std::string place;
  std::string_view nodes, children;
  for (const std::string_view word : WordsOf(line)) {
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = word.substr(equals + 1);
    // Slurm's own parser takes keys in any case.
    if (SameButCase(key, "SwitchName")) place = "switch " + std::string(value);
    if (SameButCase(key, "BlockName")) place = "block " + std::string(value);
    if (SameButCase(key, "Nodes")) nodes = value;
    if (SameButCase(key, "Switches")) children = value;
  }
  if (!place.empty()) tree->Add(place, nodes, children);
  return !place.empty();
}

// Of `  - switch: "leaf1"` also the dash of a list.
std::string_view Unquoted(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\"'-");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\"'") - begin + 1);
}

// topology.yaml names a switch or block and, in the lines below, what hangs on it.
class SlurmYaml {
 public:
  explicit SlurmYaml(Tree* tree) : tree_(tree) {}
  // Line by line, without a parser of YAML: a list that goes on in the next line is lost.
  void Line(std::string_view line) {
    // `nodes: node[01-16]`; a key with nothing behind it opens a list, whose items are lines of their own.
    const size_t colon = line.find(": ");
    if (colon == std::string_view::npos) return;
    const std::string_view key = Unquoted(line.substr(0, colon));
    const std::string_view value = Unquoted(line.substr(colon + 2));
    if (key == "switch" || key == "block") place_ = std::string(key) + " " + std::string(value);
    if (place_.empty()) return;
    if (key == "nodes") tree_->Add(place_, value, {});
    if (key == "children") tree_->Add(place_, {}, value);
  }

 private:
  Tree* tree_;
  std::string place_;
};

// Of a node's labels those that say where it stands: topology.kubernetes.io/zone, network.topology.nvidia.com/leaf,
// topology.k8s.aws/network-node-layer-3, cloud.google.com/gce-topology-block, example.com/rack. Other labels (kind of
// machine, operating system, role) say what a node is, not where.
bool SaysWhere(std::string_view label) {
  const size_t slash = label.rfind('/');
  const std::string_view name = label.substr(slash == std::string_view::npos ? 0 : slash + 1);
  constexpr std::string_view kNames[] = {"leaf", "spine", "core", "rack", "switch", "block", "zone", "accelerator"};
  if (label.find("topology") != std::string_view::npos) return true;
  return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view n) { return SameButCase(n, name); });
}

void AddLabel(std::string_view host, std::string_view label, std::string_view value, std::set<HostPlace>* out) {
  if (!SaysWhere(label) || value.empty() || out->size() >= kPlaces) return;
  out->insert({std::string(host), std::string(label) + " " + std::string(value)});
}

// A list of nodes, or one node. What has no name or no labels is passed over.
Status AddNodes(std::string_view text, std::set<HostPlace>* out) {
  const JsonValue json = JsonValue::parse(text, nullptr, false);
  if (!json.is_object()) return Status::Corrupt("is no JSON of nodes");
  const JsonValue one = JsonValue::array({json});
  // kubectl prints a List for several nodes and the node itself for one.
  const auto items = json.find("items");
  for (const JsonValue& node : items != json.end() && items->is_array() ? *items : one) {
    const auto meta = node.is_object() ? node.find("metadata") : node.end();
    if (!node.is_object() || meta == node.end() || !meta->is_object()) continue;
    const auto name = meta->find("name");
    const auto labels = meta->find("labels");
    if (name == meta->end() || !name->is_string() || labels == meta->end() || !labels->is_object()) continue;
    for (const auto& [label, value] : labels->items()) {
      if (value.is_string()) AddLabel(name->get<std::string>(), label, value.get<std::string>(), out);
    }
  }
  return {};
}

// node01 Ready <none> 41d v1.31.2 kubernetes.io/arch=amd64,topology.kubernetes.io/zone=eu-1a
void AddLabelledNode(const Words& words, std::set<HostPlace>* out) {
  const std::string_view labels = words.back();
  for (size_t at = 0; at < labels.size();) {
    // Labels have no comma in their values: Kubernetes does not allow it.
    const std::string_view one = labels.substr(at, std::min(labels.find(',', at), labels.size()) - at);
    at += one.size() + 1;
    const size_t equals = one.find('=');
    if (equals != std::string_view::npos) AddLabel(words[0], one.substr(0, equals), one.substr(equals + 1), out);
  }
}

}  // namespace

Result<std::vector<HostPlace>> PlacesOf(std::string_view text) {
  std::set<HostPlace> places;
  if (const size_t begin = text.find_first_not_of(" \t\r\n"); begin != std::string_view::npos && text[begin] == '{') {
    if (Status status = AddNodes(text, &places); !status.ok()) return status;
  } else {
    Tree tree;
    SlurmYaml yaml(&tree);
    bool labels = false;
    std::vector<std::pair<std::string_view, std::string_view>> table;
    ForEachLine(text, [&](std::string_view line) {
      if (AddSlurmLine(line, &tree)) return;
      yaml.Line(line);
      const Words words = WordsOf(line);
      // The heading of kubectl. Behind it each line is a node, and the labels are its last word.
      if (words.size() > 2 && words[0] == "NAME" && words.back() == "LABELS") {
        labels = true;
      } else if (labels && words.size() > 2) {
        AddLabelledNode(words, &places);
      } else if (words.size() == 2 && words[0].back() != ':' && words[0] != "-") {
        // Any text has lines of two words: the table counts only where nothing else was found.
        table.emplace_back(words[0], words[1]);
      }
    });
    tree.AllPlaces(&places);
    // What any text may look like is the last thing that is believed.
    if (places.empty()) {
      for (const auto& [hosts, place] : table) {
        for (const std::string& host : ExpandHostList(hosts)) {
          if (places.size() < kPlaces) places.insert({host, "place " + std::string(place)});
        }
      }
    }
  }
  if (places.empty()) return Status::Corrupt("says of no host where it hangs");
  std::vector<HostPlace> out(places.begin(), places.end());
  for (HostPlace& p : out) {
    if (p.host.size() > kPastNameBytes) p.host.resize(kPastNameBytes);
    if (p.place.size() > kPastNameBytes) p.place.resize(kPastNameBytes);
  }
  return out;
}

}  // namespace ncclwhy

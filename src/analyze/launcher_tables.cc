// The launchers' tables of CulpritResolver: which rank a local rank, a pid or a node's number means.
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "analyze/culprit_resolver.h"
#include "base/numbers.h"

namespace ncclwhy {
namespace {

// The number that a launcher puts in front of the lines of this process; -1: none.
int32_t LabelOf(const JobModel& model, ProcessId id) {
  if (!id.valid()) return -1;
  // A task that is known by nothing else: its number is no rank, where tasks have several ranks each.
  constexpr std::string_view kTask = "task ";
  const std::string_view pod = model.processes[id.value].pod;
  if (pod.starts_with(kTask)) return ParseInt<int32_t>(pod.substr(kTask.size())).value_or(-1);
  for (const auto& [source, index] : model.processes[id.value].parts) {
    const int32_t label = model.sources[source.value]->processes[index].launcher_rank;
    if (label >= 0) return label;
  }
  return -1;
}

}  // namespace

// A launcher's table of the workers that it had, and its line for the first that ended:
//   failed (exitcode: -9) local_rank: 2 (pid: 5377) of binary: /opt/venv/bin/python
//   rank      : 2 (local_rank: 2)
void CulpritResolver::ReadLauncherTables(const std::vector<EvidenceItem>& items) {
  const auto note = [](auto& table, SourceId source, std::string name, int32_t rank) {
    const auto [it, fresh] = table.emplace(std::pair(source, std::move(name)), rank);
    if (!fresh && it->second != rank) it->second = -1;
  };
  std::map<std::pair<SourceId, uint32_t>, const Finding*> rows;
  for (const EvidenceItem& i : items) {
    agents_ |= Get(i.finding.fields, "launcher") == "torchrun";
    const auto rank = ParseInt<int32_t>(Get(i.finding.fields, "culprit_rank"));
    const std::string local = Get(i.finding.fields, "local_rank");
    if (rank && !local.empty()) {
      note(rank_of_local_, i.finding.source, local, *rank);
      rows.emplace(std::pair(i.finding.source, i.finding.line), &i.finding);
      const auto [it, fresh] = failed_on_.try_emplace(i.finding.host, *rank);
      if (!fresh && it->second != *rank) it->second = -1;
      //   2:   rank      : 10 (local_rank: 2)
      const auto [under, first] = failed_under_.try_emplace(LabelOf(model_, i.finding.process), *rank);
      if (!first && under->second != *rank) under->second = -1;
    }
    const auto node = ParseInt<int32_t>(Get(i.finding.fields, "node_rank"));
    auto each = ParseInt<int32_t>(Get(i.finding.fields, "node_workers"));
    const auto nodes = ParseInt<int32_t>(Get(i.finding.fields, "nodes"));
    const auto workers = ParseInt<int32_t>(Get(i.finding.fields, "workers"));
    if (!each && workers && nodes && *nodes > 0 && *workers % *nodes == 0) each = *workers / *nodes;
    // Several commands in one finding, and no label says whose each is.
    if (node && each && i.finding.repeats == 0) nodes_.insert({{i.finding.source, i.finding.host}, {*node, *each}});
  }
  // "failed (exitcode: 1) local_rank: 5": the one worker of its node that the launcher saw fail.
  for (const EvidenceItem& i : items) {
    const bool ended = i.rule != nullptr && i.rule->sign.life == Life::kEnding && i.rule->sign.of == SignOf::kNamed;
    const std::string local = ended ? Get(i.finding.fields, "local_rank") : std::string();
    const std::string code = Get(i.finding.fields, "exit_code");
    if (local.empty() || code.empty() || code == "0") continue;
    const int32_t rank = RankOfNode(i.finding, ParseInt<int32_t>(local).value_or(-1));
    const auto [it, fresh] = failed_.emplace(i.finding.source, rank);
    if (!fresh && it->second != rank) it->second = -1;
    if (int32_t& first = failed_on_.try_emplace(i.finding.host, -1).first->second; first < 0) first = rank;
  }
  if (rank_of_local_.empty()) return;
  for (const EvidenceItem& i : items) {
    // A row of the table, and the next: "exitcode  : 1 (pid: 5377)".
    const auto above = rows.find({i.finding.source, i.finding.line - 1});
    if (above != rows.end() && above->second->host == i.finding.host && !Get(i.finding.fields, "exit_code").empty()) {
      const std::string pid = Get(i.finding.fields, "pid");
      if (!pid.empty())
        note(rank_of_pid_, i.finding.source, pid, *ParseInt<int32_t>(Get(above->second->fields, "culprit_rank")));
    }
    const auto row = rank_of_local_.find({i.finding.source, Get(i.finding.fields, "local_rank")});
    const std::string pid = Get(i.finding.fields, "pid");
    if (row != rank_of_local_.end() && !pid.empty()) note(rank_of_pid_, i.finding.source, pid, row->second);
  }
}

// Where a launcher's table is cut off, its command tells: node 3 of 8 workers each has the ranks 24 to 31. Of a
// terminal of several nodes the label in front of the line says which.
int32_t CulpritResolver::RankOfNode(const Finding& f, int32_t local) const {
  const std::pair<int32_t, int32_t>* node = nullptr;
  for (const auto& [place, told] : nodes_) {
    if (place.first != f.source || (!f.host.empty() && !place.second.empty() && place.second != f.host)) continue;
    if (node != nullptr && *node != told) return -1;
    node = &told;
  }
  if (node == nullptr || local < 0 || local >= node->second) return -1;
  // What a command line says may be any number: --node_rank=2147483647
  const int64_t rank = int64_t{node->first} * node->second + local;
  return rank <= std::numeric_limits<int32_t>::max() ? static_cast<int32_t>(rank) : -1;
}

// node-2.log of a launcher with eight workers is of a node, which may count from 0, and not of rank 2.
bool CulpritResolver::IsNodesNumber(const Finding& f, const CulpritCandidate& c) const {
  if (!c.process.valid() || model_.processes[c.process.value].pid >= 0) return false;
  if (model_.processes[c.process.value].launcher_rank >= 0) return false;
  return std::any_of(nodes_.begin(), nodes_.end(),
                     [&](const auto& node) { return node.first.first == f.source && node.second.second > 1; });
}

int32_t CulpritResolver::RankInTable(const Finding& f) const {
  if (const auto it = rank_of_pid_.find({f.source, Get(f.fields, "pid")}); it != rank_of_pid_.end()) return it->second;
  const std::string local = Get(f.fields, "local_rank");
  const auto it = rank_of_local_.find({f.source, local});
  return it == rank_of_local_.end() ? RankOfNode(f, ParseInt<int32_t>(local).value_or(-1)) : it->second;
}

std::optional<CulpritCandidate> CulpritResolver::OfEnding(const Finding& f) const {
  CulpritCandidate c;
  c.host = Get(f.fields, "culprit_host");
  if (!Get(f.fields, "local_rank").empty() || !Get(f.fields, "pid").empty()) {
    c.rank = RankInTable(f);
    if (const ProcessId named = OfPid(f); c.rank < 0 && named.valid()) c = OfProcess(named);
  } else if (agents_) {
    return std::nullopt;
  }
  for (const char* name : {"culprit_rank", "rank"}) {
    if (c.rank < 0) c.rank = ParseInt<int32_t>(Get(f.fields, name)).value_or(-1);
  }
  const auto told = [&](const char* name) { return !Get(f.fields, name).empty(); };
  if (c.rank < 0 && !told("local_rank") && !told("pid") && !told("text")) return std::nullopt;
  // One launcher of one host: its local ranks are the ranks.
  if (c.rank < 0 && model_.hosts.size() < 2 && nodes_.empty()) {
    c.rank = ParseInt<int32_t>(Get(f.fields, "local_rank")).value_or(-1);
  }
  if (c.rank >= 0) FillRank(c);
  if (c.host.empty()) c.host = f.host;
  return c;
}

int32_t CulpritResolver::FailedUnder(int32_t task) const {
  const auto it = failed_under_.find(task);
  return it == failed_under_.end() ? -1 : it->second;
}

int32_t CulpritResolver::FailedOn(const std::string& host) const {
  const auto it = failed_on_.find(host);
  return it == failed_on_.end() ? -1 : it->second;
}

}  // namespace ncclwhy

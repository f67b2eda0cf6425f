// Who a finding speaks of: its own process, its host, the peer that it names, or the rank that a query found.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/evidence.h"
#include "analyze/host_blocks.h"
#include "analyze/quoted_ranks.h"
#include "analyze/ray_task.h"
#include "job/job_model.h"

namespace ncclwhy {

struct CulpritCandidate {
  int32_t rank = -1;
  std::string host;
  ProcessId process;
  std::string device;
  int32_t gpu = -1;  // of the header of the line that accuses
  std::string why;
  double weight = 0;
  size_t order = 0;
  bool second = false;         // the end that tells, not the one it names
  bool by_neighbours = false;  // the host is that of the ranks beside it
};

class CulpritResolver {
 public:
  using Candidates = std::vector<CulpritCandidate>;

  // Borrows both.
  CulpritResolver(const JobModel& model, const std::vector<EvidenceItem>& items, bool chinese);

  Candidates Resolve(const EvidenceItem& item) const;

  // All ranks but one say that they wait: it is that one, where nothing else names a rank. A host that is known must be
  // its own.
  // The one rank that the launcher of `host` lists as failed, else the one that it saw fail first; -1 where none tells.
  int32_t FailedOn(const std::string& host) const;
  void NameSilent(const std::vector<EvidenceItem>& items, Candidates* list) const;
  // The one that did not join, if nobody is accused and the others tell.
  void NameMissing(const std::vector<EvidenceItem>& items, Candidates* list) const;

 private:
  Candidates ResolveRole(const EvidenceItem& item) const;
  std::string Say(const char* en, const char* zh) const { return chinese_ ? zh : en; }
  CulpritCandidate OfProcess(ProcessId id) const;
  std::string HostOf(ProcessId id) const;
  ProcessId OfPid(const Finding& f) const;
  ProcessId Named(const Finding& f) const;
  CulpritCandidate OfTask(const RayTask& task) const;
  Candidates Self(const Finding& f) const;
  void ReadLauncherTables(const std::vector<EvidenceItem>& items);
  int32_t RankOfNode(const Finding& f, int32_t local) const;
  bool IsNodesNumber(const Finding& f, const CulpritCandidate& c) const;
  int32_t RankInTable(const Finding& f) const;
  Candidates Host(const Finding& f, const Rule* rule) const;
  std::string HostsLine(const Finding& f, const Rule* rule) const;
  std::string Why(const Finding& f, const Rule* rule, std::string otherwise) const;
  Candidates Field(const Finding& f, const Rule* rule) const;
  void FillRank(CulpritCandidate& c) const;
  Candidates Peer(const Finding& f) const;
  Candidates Connection(const Finding& f) const;
  std::set<int32_t> NetPeers(const Finding& f, std::string_view host) const;

  // A field of a finding; empty where it has none of that name.
  static std::string Get(const std::map<std::string, std::string>& fields, const char* name) {
    const auto it = fields.find(name);
    return it == fields.end() ? std::string() : it->second;
  }

  const JobModel& model_;
  HostBlocks hosts_;
  QuotedRanks quoted_;
  std::map<ProcessId, std::string> launcher_hosts_;
  std::map<int32_t, std::string> task_hosts_;  // by rank
  bool chinese_;
  // Of launchers' tables of workers, by source and pid, and by source and local rank; -1: several ranks.
  std::map<std::pair<SourceId, std::string>, int32_t> rank_of_pid_;
  std::map<std::pair<SourceId, std::string>, int32_t> rank_of_local_;
  // Of launchers' commands, by source and host: the node's number, and how many workers a node has.
  std::multimap<std::pair<SourceId, std::string>, std::pair<int32_t, int32_t>> nodes_;
  std::map<std::string, int32_t> failed_on_;  // by host, see FailedOn
  std::map<SourceId, int32_t> failed_;        // the rank that the launcher of a node saw fail; -1: several
  // Rules that fired in several processes of a host, and these.
  std::map<std::pair<const Rule*, std::string>, std::set<ProcessId>> others_;
  std::map<int32_t, ProcessId> processes_;          // the first of each rank
  std::map<int32_t, std::set<int32_t>> net_peers_;  // by rank, of the largest communicator
};

}  // namespace ncclwhy

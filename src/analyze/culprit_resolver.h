// Who a finding speaks of: its own process, its host, the peer that it names, or the rank that a query found.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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
#include "job/pod_nodes.h"
#include "job/roll_call.h"

namespace ncclwhy {

struct CulpritCandidate {
  int32_t rank = -1;
  std::string host;
  ProcessId process;
  std::string device;
  int32_t gpu = -1;             // of the header of the line that accuses
  bool line_names_gpu = false;  // by its address: then it is that one, whatever else the process has
  std::string why;
  double weight = 0;
  size_t order = 0;
  bool second = false;         // the end that tells, not the one it names
  bool by_neighbours = false;  // the host is that of the ranks beside it
};

// Answers for all evidence of one job; made once. What lines near the accusing one say, launchers' tables and the roll
// call are gathered when it is made.
class CulpritResolver {
 public:
  using Candidates = std::vector<CulpritCandidate>;

  // Borrows both.
  CulpritResolver(const JobModel& model, const std::vector<EvidenceItem>& items, bool chinese);

  // Whom this evidence accuses: nobody, somebody, or both ends of a connection. Ranks and hosts that cannot be told are
  // -1 and empty.
  Candidates Resolve(const EvidenceItem& item) const;

  // The one rank that the launcher of `host` lists as failed, else the one that it saw fail first; -1 where none tells.
  int32_t FailedOn(const std::string& host) const;
  // The same, of the scheduler's task that is a launcher of ranks, where its number stands in front of the table.
  int32_t FailedUnder(int32_t task) const;
  // Whom a launcher's line says to have ended, with rank -1 where it is one of its workers and the tables do not tell
  // which; nothing where it speaks of no worker: of a job, or of a task that is itself a launcher of ranks.
  std::optional<CulpritCandidate> OfEnding(const Finding& f) const;
  // All ranks but one say that they wait: it is that one, where nothing else names a rank. A host that is known must be
  // its own.
  void NameSilent(const std::vector<EvidenceItem>& items, Candidates* list) const;
  // The one that did not join, if nobody is accused and the others tell.
  void NameMissing(const std::vector<EvidenceItem>& items, Candidates* list) const;

 private:
  // By the rule's `blame`.
  Candidates ResolveRole(const EvidenceItem& item) const;
  std::string Say(const char* en, const char* zh) const { return chinese_ ? zh : en; }
  // Its rank and host, as far as they are known.
  CulpritCandidate OfProcess(ProcessId id) const;
  // As its launcher tells it, else as its own lines do, else as its file is called.
  std::string HostOf(ProcessId id) const;
  // Its own, else where its process's rank is told to run; empty where only the ranks beside it tell.
  std::string HostOf(const Finding& f) const;
  // `Killed process 4242`: the only process of that number; invalid where none or several have it.
  ProcessId OfPid(const Finding& f) const;
  // The same, or by the GPU that a kernel's line names.
  ProcessId Named(const Finding& f) const;
  // Makes it the rank whose GPU the line names, where one process drives several.
  void NameOnGpu(const Finding& f, CulpritCandidate& c) const;
  // A worker of Ray, else its host alone.
  CulpritCandidate OfTask(const RayTask& task) const;
  // The process that printed the line, or whom its words name.
  bool NothingOfOtherHosts() const;
  Candidates Self(const Finding& f) const;
  // Fills the maps below from what launchers print of their workers (launcher_tables.cc).
  void ReadLauncherTables(const std::vector<EvidenceItem>& items);
  // The rank of a node's worker number `local`, where a launcher's command tells the node's number and size; else -1.
  int32_t RankOfNode(const Finding& f, int32_t local) const;
  // Whether the rank that a file's name gave is the number of a node: node-2.log of a launcher with eight workers.
  bool IsNodesNumber(const Finding& f, const CulpritCandidate& c) const;
  // The rank that a launcher's table has for the finding's pid or local rank; -1 where none or several do.
  int32_t RankInTable(const Finding& f) const;
  // The host, with a process of it where one alone complains.
  Candidates Host(const Finding& f, const Rule* rule) const;
  // "its ranks 0, 1 print the failing line"
  std::string HostsLine(const Finding& f, const Rule* rule) const;
  // What a query gives as `why`, else `otherwise`; in the report's language.
  std::string Why(const Finding& f, const Rule* rule, std::string otherwise) const;
  // Whom `culprit_rank` and `culprit_host` name.
  Candidates Field(const Finding& f, const Rule* rule) const;
  // Sets process and host of a rank: by its log, by launchers, by the roll call, last by the ranks beside it.
  void FillRank(CulpritCandidate& c) const;
  // Whom the line names at its other end: by rank, local rank or address; empty where nobody is known by that.
  Candidates Peer(const Finding& f) const;
  Candidates OtherOfTwo(const Finding& f, const std::string& why) const;
  // Both ends, the peer first; the peer alone where its log just ends.
  Candidates Connection(const Finding& f) const;
  // The one host of three and more that does not complain of a peer of that address, where all others do.
  std::string OneLeft(const std::string& address) const;
  // Ranks on `host` that the finding's rank talks to over the network, those without a log among them.
  std::set<int32_t> NetPeers(const Finding& f, std::string_view host) const;

  // A field of a finding; empty where it has none of that name.
  static std::string Get(const std::map<std::string, std::string>& fields, const char* name) {
    const auto it = fields.find(name);
    return it == fields.end() ? std::string() : it->second;
  }

  const JobModel& model_;
  HostBlocks hosts_;
  RollCall roll_;
  QuotedRanks quoted_;
  PodNodes pods_;
  std::map<ProcessId, std::string> launcher_hosts_;
  std::map<int32_t, std::string> task_hosts_;  // by rank
  bool chinese_;
  // Of launchers' tables of workers, by source and pid, and by source and local rank; -1: several ranks.
  std::map<std::pair<SourceId, std::string>, int32_t> rank_of_pid_;
  std::map<std::pair<SourceId, std::string>, int32_t> rank_of_local_;
  // Of launchers' commands, by source and host: the node's number, and how many workers a node has.
  std::multimap<std::pair<SourceId, std::string>, std::pair<int32_t, int32_t>> nodes_;
  std::map<std::string, int32_t> failed_on_;  // by host, see FailedOn
  std::map<int32_t, int32_t> failed_under_;   // by the number of the task in front of the line
  bool agents_ = false;                       // torchrun's: a task of the scheduler has several ranks
  std::map<SourceId, int32_t> failed_;        // the rank that the launcher of a node saw fail; -1: several
  // Rules that fired in several processes of a host, and these.
  std::map<std::pair<const Rule*, std::string>, std::set<ProcessId>> others_;
  std::map<int32_t, ProcessId> processes_;                    // of each rank the first that did not leave in order
  std::map<std::string, std::set<std::string>> complain_of_;  // address that nobody is known by -> hosts
  std::map<int32_t, std::set<int32_t>> net_peers_;            // by rank, of the largest communicator
};

}  // namespace ncclwhy

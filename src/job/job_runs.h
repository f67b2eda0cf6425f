// Runs: processes that are one job as far as communicators, and the order of lines in a source, tell.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "job/following_runs.h"
#include "job/job_groups.h"
#include "job/job_model.h"

namespace ncclwhy {

// From the first to the last line with a header.
struct Hull {
  uint32_t first = UINT32_MAX;
  uint32_t last = 0;
  void Add(uint32_t from, uint32_t to) {
    first = std::min(first, from);
    last = std::max(last, to);
  }
};

// Processes that are one job as far as is known, or sources without any.
struct Run {
  std::map<uint32_t, Hull> hulls;              // by source
  std::map<int32_t, std::string_view> placed;  // rank in the largest communicator -> host
  std::set<std::string_view> hosts;
  std::string_view version;
  uint32_t speaks = 0;  // the process that told it
  int64_t nranks = -1;
  bool over = true;            // each of its processes has left
  bool aborted = false;        // one of them has given up its communicator
  std::set<uint32_t> sources;  // that are wholly its own
  bool complete() const { return nranks > 0 && static_cast<int64_t>(placed.size()) >= nranks; }
};

// All members are for who goes on with them (separate_jobs.cc). Borrows model and marks. In doubt two runs are joined:
// it begins with one for each communicator, and joins until nothing says any more that two are one.
class JobRuns {
 protected:
  JobRuns(const JobModel& model, const std::vector<std::vector<Mark>>& marks, bool attempts);

  // False: there is one job, as far as can be told, or there are more runs than anybody would compare.
  bool Find();
  // Its lines, host and version; a run is over when each of its processes has left.
  void AddProcess(Run& run, const Process& p) const;
  // The runs of a source, by where they begin.
  std::vector<uint32_t> RunsIn(uint32_t source) const;
  // Whether a line of one of these lives stands there.
  bool Marked(uint32_t source, uint32_t from, uint32_t to, std::initializer_list<Life> lives) const;

  static constexpr uint32_t kSourceRuns = 1u << 31;  // ids of runs that are no process
  static constexpr uint32_t kFollowers = 3u << 30;

  const JobModel& model_;
  const std::vector<std::vector<Mark>>& marks_;  // by source
  const bool attempts_;                          // attempts are told apart, too
  mutable ProcessGroups groups_;                 // finding shortens paths
  std::vector<bool> in_world_;                   // by process: it is in a communicator
  std::map<uint32_t, Run> runs_;                 // by the group of its processes

 private:
  // The ordinary job: everybody who speaks is in one communicator.
  bool OneWorld() const;
  // Its lines in a source without those that another run printed through the same stream; empty where all are.
  Hull OwnLines(const Process& p, uint32_t source, const ProcessFacts& part) const;
  // One for each group of processes.
  void FindRuns();
  // Which rank stands on which host, of the largest communicator of each.
  void PlaceRanks();
  // True: two were found to be one and joined; asked again until it says false.
  bool JoinRuns();
  void Join(uint32_t a, uint32_t b);
  // Adds runs of which NCCL says nothing, by where borders_ are.
  void FindFollowers();
  // Whether `b` begins where `a` is over, and not beside it.
  bool OneBehindTheOther(uint32_t source, const Run& a, const Run& b) const;
  // Whether `b` is another attempt at `a`: the same ranks on the same hosts, in the same files.
  bool AgainTheSame(const Run& a, const Run& b) const;

  std::vector<std::vector<uint32_t>> borders_;  // by source: where runs begin that follow another
  std::vector<uint32_t> suite_;                 // by source: the last verdict of a test runner, 0 without
};

}  // namespace ncclwhy

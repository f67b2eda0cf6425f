// HitIndex: all hits of all sources, placed in the job (which process, rank, host) and found by pattern and scope.
// Keeps the check of conditions away from comparing every hit with every other.
//
// Borrows the model and the hits. Not thread-safe: groups are made when first asked for.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "job/job_model.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"

namespace ncclwhy {

// A place in the job: where a hit stands, or what a row of a query names. Unknown members are invalid, -1 or empty.
// `host` is a view of the facts, or of what the row owns.
// What conditions are checked against; made once for each hit.
struct Where {
  SourceId source;
  uint32_t line = 0;
  ProcessId process;
  int32_t launcher_rank = -1;
  int32_t rank = -1;  // in the job's largest communicator
  std::string_view host;
};

// Borrows the hit; lives in the index, which never moves it.
struct PlacedHit {
  const Hit* hit = nullptr;
  Where where;
};

class HitIndex {
 public:
  // `hits[i]` is of model.sources[i]; null where a source has none.
  HitIndex(const JobModel& model, std::span<const SourceHits* const> hits);

  // In (source, line) order; none where the pattern has no hit.
  const std::vector<PlacedHit>& OfPattern(uint32_t pattern) const;
  // Those that have hits, in their order.
  std::vector<uint32_t> Patterns() const;

  // The first hit of `pattern` that stands to `where` as `condition` asks, or null. Groups are made per pattern and
  // scope when first asked for; then a look-up and, for a window of lines, a binary search. What has no line is in no
  // window.
  // "First" is the one with the smallest source and line among those that fit. `where` may be that of a hit, or of a
  // row of a query that names a line.
  const PlacedHit* Find(uint32_t pattern, const Condition& condition, const Where& where);

  // A capture of a hit, or an empty view.
  // An empty view where the group did not take part.
  std::string_view Capture(const PlacedHit& placed, std::string_view name) const;
  std::string_view Text(const PlacedHit& placed) const;
  // `source` must be valid.
  const SourceFacts& Facts(SourceId source) const { return *model_.sources[source.value]; }

 private:
  // What a scope joins, and its number: (process, 17), (rank, 3). A hit may have several, as a process is in several
  // communicators.
  using Key = std::pair<uint64_t, uint64_t>;
  using Groups = std::map<Key, std::vector<const PlacedHit*>>;

  // Whose line the hit is: its process, else what it captured, else the label in front of it.
  Where Place(SourceId source, const Hit& hit) const;
  std::vector<Key> KeysOf(Scope scope, const Where& where);
  // All hits of a pattern by what the scope joins: process, rank, communicator, host, source or job.
  const Groups& GroupsOf(uint32_t pattern, Scope scope);
  // The first line of the traceback that ends with the exception at `line`; 0: none is known.
  uint32_t TracebackOf(SourceId source, uint32_t line);

  const JobModel& model_;
  std::unordered_map<uint32_t, std::vector<PlacedHit>> by_pattern_;
  std::map<std::pair<uint32_t, Scope>, Groups> groups_;
  std::vector<std::vector<uint32_t>> communicators_;  // by process
  // source -> line of an exception -> the line at which its traceback begins
  std::map<uint32_t, std::unordered_map<uint32_t, uint32_t>> tracebacks_;
  uint32_t jobs_ = 1;
  std::map<std::string_view, uint64_t> host_numbers_;
};

// Host names up to the first dot, as NCCL prints them: gpu-a17.cluster.example and gpu-a17 are one host.
// A view of `host`. An address stays whole.
std::string_view ShortHost(std::string_view host);

}  // namespace ncclwhy

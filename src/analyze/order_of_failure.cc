#include "analyze/order_of_failure.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "analyze/late_fault.h"

namespace ncclwhy {
namespace {

// What counts as an alarm still: it was not overcome, follows from no other line, and stands somewhere in a log.
bool Alarms(const EvidenceItem& i) {
  const Role role = i.finding.role;
  return (role == Role::kRoot || role == Role::kSymptom) && !i.consequence && !i.survived && !i.info &&
         i.finding.line > 0 && i.finding.source.valid();
}

// The end of a process of its own accord.
struct Origin {
  bool named = false;  // by its launcher, whose line is of no process
  uint32_t line = 0;
  ProcessId process;
  int32_t rank = -1;
  std::string_view text;
};

class FirstEnd {
 public:
  FirstEnd(const JobModel& model, const std::vector<LifeSign>& signs, const OutcomeReading& outcome,
           const std::vector<EvidenceItem>& items)
      : model_(model) {
    for (const EvidenceItem& i : items) {
      if (!i.finding.source.valid() || i.finding.line == 0) continue;
      const std::pair at(i.finding.source.value, i.finding.line);
      if (Alarms(i) && i.finding.role == Role::kRoot) roots_.insert(at);
      // Two rules may know one end, of which one counts.
      const bool tells_end = i.rule != nullptr && i.rule->sign.life == Life::kEnding;
      if (i.finding.role == Role::kSecondary && i.sign < 0 && !tells_end) echoes_.insert(at);
    }
    for (const size_t n : outcome.bad) Take(signs[n]);
  }

  // Of a source, where it is the first alarm there; nothing else.
  const Origin* Of(uint32_t source) const {
    const auto it = first_.find(source);
    return it == first_.end() ? nullptr : &it->second;
  }

 private:
  // An exception in a line of its own, or a rank that MPI names as the one that aborted:
  //   MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD with errorcode 1.
  void Take(const LifeSign& s) {
    if (!s.source.valid() || s.of == SignOf::kJob) return;
    const std::pair at(s.source.value, s.line);
    const bool exception = s.how == Ending::kException && s.of == SignOf::kSelf && roots_.contains(at);
    const bool aborts_job = s.how == Ending::kAbort && s.of == SignOf::kNamed;
    if ((!exception && !aborts_job) || echoes_.contains(at)) return;
    const Origin origin{aborts_job, s.line, s.process, s.rank >= 0 ? s.rank : model_.RankOf(s.process), s.text};
    const auto [it, fresh] = first_.try_emplace(s.source.value, origin);
    if (!fresh && s.line < it->second.line) it->second = origin;
  }

  const JobModel& model_;
  std::set<std::pair<uint32_t, uint32_t>> roots_, echoes_;  // (source, line)
  std::map<uint32_t, Origin> first_;                        // by source
};

// Whether a kernel, a scheduler or a container's runtime says it.
bool SaidByOthers(const JobModel& model, const Finding& f) {
  const std::vector<Event>& events = model.sources[f.source.value]->events;
  const auto it = std::lower_bound(events.begin(), events.end(), f.line,
                                   [](const Event& e, uint32_t line) { return e.line < line; });
  if (it == events.end() || it->line != f.line) return false;
  return it->dialect == Dialect::kKernel || it->dialect == Dialect::kSlurm || it->dialect == Dialect::kKubernetes;
}

// A line of the stack that MPICH prints behind the words of its abort, of the same process: its last ones are the
// reason.
//   Abort(15) on node 1 (rank 1 in comm 0): Fatal error in PMPI_Recv: Other MPI error, error stack:
//   MPIDI_POSIX_mpi_ipc_map(212)....: gpu_ipc_handle_map failed
bool InErrorStack(const Finding& f) {
  if (f.process.valid() || f.rank >= 0) return false;
  constexpr std::string_view kDigits = "0123456789";
  const std::string_view text = f.text;
  const size_t open = text.find('(');
  if (open == std::string_view::npos || open == 0 || text.find_first_of(" :") < open) return false;
  const size_t close = text.find_first_not_of(kDigits, open + 1);
  if (close == std::string_view::npos || close == open + 1 || text[close] != ')') return false;
  const size_t colon = text.find_first_not_of('.', close + 1);
  return colon != std::string_view::npos && text[colon] == ':';
}

bool OfOrigin(const JobModel& model, const EvidenceItem& i, const Origin& origin) {
  if (i.finding.process.valid() && i.finding.process == origin.process) return true;
  const int32_t rank = i.finding.rank >= 0 ? i.finding.rank : model.RankOf(i.finding.process);
  if (origin.rank < 0 || rank < 0) return rank == origin.rank && !i.finding.process.valid();
  return rank == origin.rank || i.finding.Field("culprit_rank") == std::to_string(origin.rank);
}

// What nobody is known to have said, right before an end, is the reason that whoever ended gives:
//   cudaStreamSynchronize failed: Error 2 cudaErrorMemoryAllocation: out of memory
//   MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD
// Both may be told in one line, where the program ends its own with nothing.
bool IsReasonOf(const Origin& origin, const Finding& f) {
  constexpr uint32_t kNear = 4;
  const bool nobodys = f.rank < 0 && (!f.process.valid() || f.process == origin.process);
  return origin.named && nobodys && f.line <= origin.line && f.line + kNear >= origin.line;
}

// What a script goes on to do when its job has failed, fails too and is no cause, if something had failed in front.
//    5 FAILED TESTS      $ python3 ci/collect.py || true      FileNotFoundError: … 'build/bench.json'
void MarkBehindEndOfJob(const JobModel& model, const std::vector<LifeSign>& signs, const OutcomeReading& outcome,
                        std::vector<EvidenceItem>& items) {
  std::map<uint32_t, uint32_t> ends, alarms;  // source -> first line
  const auto note = [](std::map<uint32_t, uint32_t>& first, SourceId source, uint32_t line) {
    uint32_t& known = first.try_emplace(source.value, line).first->second;
    known = std::min(known, line);
  };
  for (const size_t n : outcome.bad) {
    const LifeSign& s = signs[n];
    if (s.source.valid() && s.of == SignOf::kJob && s.how == Ending::kExit) note(ends, s.source, s.line);
  }
  for (const EvidenceItem& i : items) {
    if (Alarms(i) && i.finding.role == Role::kRoot) note(alarms, i.finding.source, i.finding.line);
  }
  for (EvidenceItem& i : items) {
    if (!Alarms(i) || !ends.contains(i.finding.source.value)) continue;
    const uint32_t end = ends.at(i.finding.source.value);
    const auto first = alarms.find(i.finding.source.value);
    if (first == alarms.end() || first->second >= end || i.finding.line <= end) continue;
    if (!SaidByOthers(model, i.finding)) i.consequence = true;
  }
}

}  // namespace

void MarkWhatFollowed(const JobModel& model, const std::vector<LifeSign>& signs, const OutcomeReading& outcome,
                      std::vector<EvidenceItem>& items) {
  MarkBehindEndOfJob(model, signs, outcome, items);
  MarkLateFaults(model, items);
  const FirstEnd ends(model, signs, outcome, items);
  // Somebody had complained before it: then it may be what follows.
  std::set<uint32_t> preceded;
  for (const EvidenceItem& i : items) {
    const Origin* origin = Alarms(i) ? ends.Of(i.finding.source.value) : nullptr;
    if (origin != nullptr && i.finding.line < origin->line && !OfOrigin(model, i, *origin) &&
        !IsReasonOf(*origin, i.finding)) {
      preceded.insert(i.finding.source.value);
    }
  }
  // Whose reason was told in front of the launcher's line says no more behind it, and whoever speaks there is another.
  std::set<uint32_t> explained;
  for (const EvidenceItem& i : items) {
    const Origin* origin = Alarms(i) ? ends.Of(i.finding.source.value) : nullptr;
    const bool root = i.finding.role == Role::kRoot;
    if (origin != nullptr && root && IsReasonOf(*origin, i.finding)) explained.insert(i.finding.source.value);
  }
  for (EvidenceItem& i : items) {
    if (!Alarms(i) || preceded.contains(i.finding.source.value)) continue;
    const Origin* origin = ends.Of(i.finding.source.value);
    if (origin == nullptr || i.finding.line <= origin->line) continue;
    const bool others = explained.contains(i.finding.source.value) && i.finding.rank < 0;
    if (!others && OfOrigin(model, i, *origin)) continue;
    if (InErrorStack(i.finding)) continue;
    // Another that fails with the same words has the same trouble, not that of the first.
    if (!i.finding.text.empty() && i.finding.text == origin->text) continue;
    if (i.rule != nullptr && i.rule->sign.of == SignOf::kJob && i.sign >= 0) continue;  // its launcher, in summary
    if (!SaidByOthers(model, i.finding)) i.consequence = true;
  }
}

}  // namespace ncclwhy

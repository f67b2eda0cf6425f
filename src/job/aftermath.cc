#include "job/aftermath.h"

#include <algorithm>
#include <map>
#include <utility>

#include "job/job_groups.h"

namespace ncclwhy {
namespace {

// Beats of what has begun anew.
constexpr uint64_t kWorksAnew = 8;

// Calls that a process logged behind `line`, as far as they are kept.
// (At most limits::kCollectiveWindow of each kind are kept, which is enough to say that it went on.)
uint64_t CallsAfter(const CollectiveStream& s, uint32_t line) {
  if (s.last.line <= line) return 0;
  const auto behind = [line](const CollectiveCall& call) { return call.line > line; };
  return static_cast<uint64_t>(std::count_if(s.window.begin(), s.window.end(), behind)) +
         static_cast<uint64_t>(std::count_if(s.p2p_window.begin(), s.p2p_window.end(), behind));
}

// Whether it had a line before: in this source in front of `line`, or in another one.
// A process without any line in a header has no first line that says when it was there.
bool SpokeBefore(const Process& p, SourceId source, uint32_t line) {
  return p.first.line > 0 && (p.first.source != source || p.first.line < line);
}

// A few numbers close to each other, not seen before, of which no word says what they count, and soon the end: a table
// that explains a failure.
//   PID   MEM(GB)  COMMAND      3290  119.20  ray::Worker      3292  118.58  ray::Worker
//   mlx5_0 1 2 …  10.41.0.12 v1      mlx5_0 1 3 …  10.41.0.12 v2      (others)      mlx5_1 1 2 …  10.41.1.12 v1
bool IsListing(const SourceFacts& facts, const PulseFacts& p, uint32_t line) {
  const bool line_by_line = p.beats.count < kWorksAnew && p.beats.last - p.beats.first < 4 * kWorksAnew;
  return p.beats.first > line && line_by_line && !p.name.valid() && p.total <= 0 &&
         facts.counters.Get(Counter::kLines) <= p.beats.last + kLifeGoesOn;
}

}  // namespace

bool IsComplete(const PulseFacts& pulse) { return pulse.total > 1 && pulse.last_value >= pulse.total; }

Aftermath::Aftermath(const JobModel& model) : model_(model), communicators_(model.sources.size()) {
  ProcessGroups groups = GroupByCommunicator(model);
  group_.assign(model.processes.size(), kNobody);
  for (const Communicator& c : model.communicators) {
    for (const Rank& r : c.ranks) {
      if (r.process.valid()) group_[r.process.value] = groups.Find(r.process.value);
    }
  }
  FindSeams();
  for (uint32_t i = 0; i < model.sources.size(); ++i) {
    for (const Event& e : model.sources[i]->events) {
      const bool tells = e.kind == EventKind::kCommInitComplete || e.kind == EventKind::kCommDestroy ||
                         e.kind == EventKind::kCommAbort;
      // Only processes that NCCL knows: a launcher's label tells nothing of a communicator.
      const ProcessId process = tells ? model.ProcessOf(SourceId{i}, e.process, -1) : ProcessId();
      if (!process.valid()) continue;
      Communicators& c = communicators_[i][process.value];
      if (e.kind == EventKind::kCommInitComplete) c.inits.push_back(e.line);
      if (e.kind == EventKind::kCommDestroy) c.last_destroy = e.line;
      if (e.kind == EventKind::kCommAbort) c.last_abort = e.line;
    }
  }
}

After Aftermath::Of(SourceId source, uint32_t line, ProcessId process) const {
  After after;
  if (!source.valid() || source.value >= model_.sources.size()) return after;
  const SourceFacts& facts = *model_.sources[source.value];
  const std::vector<uint32_t>& seams = seams_[source.value];
  const auto seam = std::upper_bound(seams.begin(), seams.end(), line);
  const uint32_t last = seam == seams.end() ? UINT32_MAX : *seam - 1;  // of the same log
  const auto own = [&](uint32_t index) {
    const ProcessId id = model_.ProcessOf(source, index, -1);
    return id.valid() && id == process;
  };
  for (const PulseFacts& p : facts.pulses) {
    if (IsListing(facts, p, line)) continue;
    if (process.valid() && Apart(process, model_.ProcessOf(source, p.process, -1), source, line)) continue;
    const uint64_t beats = p.beats.After(line) - p.beats.After(last);
    // The largest, not the sum: several pulses of one program count the same steps.
    after.beats = std::max(after.beats, beats);
    if (!own(p.process)) continue;
    after.own_beats += beats;
    after.beat_before = after.beat_before || p.beats.first < line;
  }
  for (const NewsFacts& n : facts.news) after.news += n.lines.After(line) - n.lines.After(last);
  for (const CollectiveStream& s : facts.collectives) {
    if (own(s.process)) after.own_beats += CallsAfter(s, line);
  }
  const auto& of_source = communicators_[source.value];
  const auto it = process.valid() ? of_source.find(process.value) : of_source.end();
  if (it != of_source.end()) {
    const Communicators& c = it->second;
    const auto behind = std::upper_bound(c.inits.begin(), c.inits.end(), line);
    // A communicator that was initialised behind the line is work: the process goes on.
    after.own_beats += static_cast<uint64_t>(c.inits.end() - behind);
    after.left_in_order = c.last_destroy > line && c.last_abort <= line;
  }
  return after;
}

void Aftermath::FindSeams() {
  seams_.resize(model_.sources.size());
  std::map<std::pair<uint32_t, uint32_t>, std::vector<const Process*>> alike;  // (source, group) -> processes
  for (const Process& p : model_.processes) {
    const bool here = group_[p.id.value] != kNobody && p.first.source == p.last.source && p.first.source.valid();
    if (here) alike[{p.first.source.value, group_[p.id.value]}].push_back(&p);
  }
  for (auto& [key, list] : alike) {
    std::sort(list.begin(), list.end(),
              [](const Process* a, const Process* b) { return a->first.line < b->first.line; });
    uint32_t last = 0;
    for (size_t i = 0; i < list.size(); ++i) {
      if (i > 0 && list[i]->first.line > last) seams_[key.first].push_back(list[i]->first.line);
      last = std::max(last, list[i]->last.line);
    }
  }
  for (std::vector<uint32_t>& seams : seams_) std::sort(seams.begin(), seams.end());
}

// Members of an ensemble have a communicator each: one goes on while another fails.
//   [9] nid003:… NCCL WARN Broadcast : invalid root 8 …      [0] member 0: step 25 …
bool Aftermath::Apart(ProcessId a, ProcessId b, SourceId source, uint32_t line) const {
  if (!b.valid() || group_[a.value] == kNobody || group_[b.value] == kNobody) return false;
  return group_[a.value] != group_[b.value] && SpokeBefore(model_.processes[b.value], source, line);
}

bool Aftermath::EverybodyWorks(SourceId source, uint32_t line) const {
  bool anybody = false;
  for (const ProcessId id : model_.process_of[source.value]) {
    // A process that no header shows may be a stream of another one.
    if (!id.valid() || model_.processes[id.value].pid < 0) continue;
    // Who only begins behind it may be of another run.
    if (!SpokeBefore(model_.processes[id.value], source, line)) return false;
    if (Of(source, line, id).own_beats == 0) return false;
    anybody = true;
  }
  return anybody;
}

bool Aftermath::OthersWork(SourceId source, uint32_t line) const {
  bool before = false, others = false;
  for (const PulseFacts& p : model_.sources[source.value]->pulses) {
    // A pulse that was there before and beats again: it is not others who work.
    const bool old = p.beats.first <= line;
    if (old && p.beats.After(line) > 0) return false;
    before = before || old;
    others = others || (!old && p.beats.count >= kWorksAnew);
  }
  return before && others;
}

}  // namespace ncclwhy

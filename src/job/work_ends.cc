#include "job/work_ends.h"

#include <algorithm>

#include "job/aftermath.h"

namespace ncclwhy {
namespace {

// Others go on for a step or two when one has died: what they had begun, and what a launcher still holds.
constexpr uint64_t kFewBeats = 3;
constexpr uint64_t kSteadyBegun = 8;

// Of the pulses that know of how many the one that beats most: `Epoch 3/3` is said at its beginning.
const PulseFacts* FinestOf(const std::vector<PulseFacts>& pulses) {
  const PulseFacts* finest = nullptr;
  for (const PulseFacts& p : pulses) {
    if (p.total <= 1 || CountsAside(pulses, p)) continue;
    if (finest == nullptr || p.beats.count > finest->beats.count) finest = &p;
  }
  return finest;
}

// Whether something named that is counted has not come to its end: the bar of an epoch is full, and it was the third
// of twelve.
bool IsAmidst(const SourceFacts& facts) {
  return std::any_of(facts.pulses.begin(), facts.pulses.end(),
                     [](const PulseFacts& p) { return p.name.valid() && p.total > 1 && !IsComplete(p); });
}

// Sources that count to an end which they have not reached, and never began anew: what begins again and again in
// another one is part of a step there.
//   worker.err: micro-batch 16/16 …      driver.log: Training Progress: 33%|███  | 47/140
std::vector<uint32_t> CountingOn(const JobModel& model) {
  std::vector<uint32_t> sources;
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const std::vector<PulseFacts>& pulses = model.sources[s]->pulses;
    const bool amidst = std::any_of(pulses.begin(), pulses.end(), [](const PulseFacts& p) {
      return p.total > 1 && p.peaks.empty() && p.beats.count >= kFewBeats && !IsComplete(p);
    });
    if (amidst) sources.push_back(s);
  }
  return sources;
}

void AddWords(const JobModel& model, const std::vector<LifeSign>& signs, WorkEnds* ends) {
  for (const LifeSign& s : signs) {
    const bool clean = s.life == Life::kEnding && !s.bad();
    // A record of a scheduler tells how the last command ended, and is no word of the work.
    if (!clean || !s.source.valid() || !s.job.empty()) continue;
    const uint32_t line = std::max(s.line, s.last_line);
    // A word in front of more work is that of an epoch or of one of several programs.
    if (WorkGoesOn(model, s.source, line)) continue;
    uint32_t& finish = ends->lines[s.source.value];
    if (line <= finish) continue;
    finish = line;
    // The word on the whole says more than that of a process behind it:
    //   ===== 9 passed in 403.18s =====      # exit status 0
    const LifeSign*& said = ends->signs[s.source.value];
    if (said == nullptr || said->of != SignOf::kJob || s.of == SignOf::kJob) said = &s;
  }
  // A program that begins behind it, as the next of several benchmarks does, has not come to its own.
  for (const LifeSign& s : signs) {
    const bool begins = s.life == Life::kLaunch && s.of == SignOf::kSelf && s.source.valid();
    if (!begins || std::max(s.line, s.last_line) <= ends->lines[s.source.value]) continue;
    ends->lines[s.source.value] = 0;
    ends->signs.erase(s.source.value);
  }
}

}  // namespace

WorkEnds FindWorkEnds(const JobModel& model, const std::vector<LifeSign>& signs) {
  WorkEnds out;
  out.lines.assign(model.sources.size(), 0);
  out.complete.assign(model.sources.size(), 0);
  AddWords(model, signs, &out);
  const std::vector<uint32_t> counting = CountingOn(model);
  for (uint32_t i = 0; i < model.sources.size(); ++i) {
    const PulseFacts* finest = FinestOf(model.sources[i]->pulses);
    if (finest == nullptr || !IsComplete(*finest) || IsAmidst(*model.sources[i])) continue;
    const bool part_of_more = counting.size() > 1 || (counting.size() == 1 && counting.front() != i);
    if (!finest->peaks.empty() && part_of_more) continue;
    const uint32_t line = finest->beats.last;
    if (WorkGoesOn(model, SourceId{i}, line) || NcclBegins(model, SourceId{i}, line)) continue;
    out.complete[i] = line;
    out.lines[i] = std::max(out.lines[i], line);
  }
  return out;
}

bool CountsAside(const std::vector<PulseFacts>& pulses, const PulseFacts& count) {
  if (count.name.valid() || count.beats.count >= kSteadyBeats) return false;
  const bool fell = std::any_of(count.peaks.begin(), count.peaks.end(),
                                [&](const PulsePeak& peak) { return !peak.carried && peak.value < count.total; });
  return fell && std::any_of(pulses.begin(), pulses.end(), [](const PulseFacts& p) {
           return p.name.valid() && p.peaks.empty() && p.beats.count >= kSteadyBeats;
         });
}

bool WorkGoesOn(const JobModel& model, SourceId source, uint32_t line) {
  const std::vector<PulseFacts>& pulses = model.sources[source.value]->pulses;
  return std::any_of(pulses.begin(), pulses.end(), [line](const PulseFacts& p) {
    return p.beats.After(line) >= (p.beats.first <= line ? kFewBeats : kSteadyBegun);
  });
}

bool NcclBegins(const JobModel& model, SourceId source, uint32_t line) {
  const std::vector<Event>& events = model.sources[source.value]->events;
  return std::any_of(events.rbegin(), events.rend(), [line](const Event& e) {
    return e.line > line && (e.kind == EventKind::kCommInitStart || e.kind == EventKind::kBootstrapInterface);
  });
}

bool WoundUp(const JobModel& model, const PulseFacts* pulse) {
  if (pulse != nullptr && pulse->last_value * 2 < pulse->total) return false;
  bool any = false;
  for (const SourceFacts* source : model.sources) {
    uint32_t last = 0;
    uint64_t beats = 0;
    for (const PulseFacts& p : source->pulses) {
      last = std::max(last, p.beats.last);
      beats = std::max(beats, p.beats.count);
    }
    if (last == 0) continue;
    uint64_t news = 0;
    // News in front of the last beat are part of the work.
    for (const NewsFacts& n : source->news) news += n.lines.After(last);
    if (beats < kSteadyBeats || news < kLastNews) return false;
    any = true;
  }
  return any;
}

}  // namespace ncclwhy

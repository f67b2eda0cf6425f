#include "job/other_sources.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "job/silence.h"

namespace ncclwhy {
namespace {

// Ranks that have lost one do not go on for so long, and clocks of hosts do not stand so far apart.
constexpr double kMoreBeats = 8;
constexpr double kMoreSeconds = 60;
// Behind a word of a loss: more than was under way.
constexpr uint64_t kBeatsBehindLoss = 3;
// What somebody else's end brings about comes that soon behind it, and not in the same second.
constexpr double kSoon = 1800;
constexpr double kSure = 1;
// Who is told to leave when the others are done goes at once; later he hung.
constexpr double kLeaves = 120;
constexpr size_t kEnough = 32;       // of ranks that are alike
constexpr uint32_t kSameWords = 12;  // lines
constexpr double kAsFar = 0.97;
constexpr int32_t kEndedBySignal = 128;

}  // namespace

bool IsRequest(std::string_view signal) {
  constexpr std::string_view kRequests[] = {"2",       "10",      "12",      "15",        "SIGINT",
                                            "SIGUSR1", "SIGUSR2", "SIGTERM", "Terminated"};
  constexpr std::string_view kPython = "Signals.";
  if (signal.starts_with(kPython)) signal.remove_prefix(kPython.size());
  return std::find(std::begin(kRequests), std::end(kRequests), signal) != std::end(kRequests);
}

bool IsOwnEnd(const LifeSign& sign) {
  return !IsRequest(sign.signal) && (sign.how == Ending::kExit || sign.how == Ending::kSignal ||
                                     sign.how == Ending::kAbort || sign.how == Ending::kException);
}

OtherSources::OtherSources(const JobModel& model, const std::vector<LifeSign>& signs)
    : model_(model), of_source_(model.sources.size()) {
  for (const LifeSign& s : signs) {
    if (!s.source.valid()) continue;
    of_source_[s.source.value].push_back(&s);
    if (s.life == Life::kEnding && !s.job.empty()) records_.push_back(&s);
    if (s.bad() && IsOwnEnd(s) && own_.size() < kEnough) own_.push_back(&s);
    restarted_ = restarted_ || (s.life == Life::kRestart && !Works(s.source.value));
  }
  for (auto& of : of_source_) {
    std::stable_sort(of.begin(), of.end(), [](const LifeSign* a, const LifeSign* b) { return a->line < b->line; });
  }
}

void OtherSources::Know(const WorkEnds& ends) {
  ends_ = &ends;
  for (uint32_t s = 0; s < model_.sources.size(); ++s) {
    if (ends.lines[s] == 0 || !Works(s)) continue;
    if (done_.size() < kEnough) done_.push_back(s);
    if (said_.size() < kEnough && (restarted_ || SaysSo(s))) said_.push_back(s);
  }
  for (const auto& [source, said] : ends.signs) {
    if (said->of != SignOf::kJob || Works(source) || told_.size() >= kEnough) continue;
    const auto& of = of_source_[source];
    const bool worse = std::any_of(of.begin(), of.end(),
                                   [said = said](const LifeSign* x) { return x->bad() && x->line > said->line; });
    if (!worse) told_.push_back(said);
  }
}

bool OtherSources::Overcame(const LifeSign& sign) const {
  if (RecordedWell(sign)) return true;
  if (!sign.source.valid()) return false;
  if (LeftWhenDone(sign)) return true;
  const bool own_end = ends_->lines[sign.source.value] > 0 && Works(sign.source.value);
  return !own_end && (WentOn(sign) || ToldDone(sign));
}

// A node that left a job which does without it, or an attempt before. Work that goes on beside it alone shows nothing:
// an evaluation, a task of the same array.
bool OtherSources::WentOn(const LifeSign& sign) const {
  if (said_.empty()) return false;
  const std::string_view ended = TimeOf(sign);
  if (ended.empty()) return false;
  for (const uint32_t s : said_) {
    if (s == sign.source.value) continue;
    const SourceFacts& facts = *model_.sources[s];
    for (const PulseFacts& p : facts.pulses) {
      if (!p.first_time.valid() || !p.last_time.valid() || p.beats.last > ends_->lines[s]) continue;
      const std::string_view first = facts.Str(p.first_time), last = facts.Str(p.last_time);
      const auto went_on = TimeBetween(ended, last);
      const auto took = TimeBetween(first, last);
      if (!went_on || !took || *went_on < kMoreSeconds || *took <= 0) continue;
      const double share = std::min(1.0, *went_on / *took);
      if (share * static_cast<double>(p.beats.count) >= kMoreBeats) return true;
    }
  }
  return false;
}

bool OtherSources::SaysSo(uint32_t source) const {
  const auto& of = of_source_[source];
  return std::any_of(of.begin(), of.end(), [&](const LifeSign* t) {
    const bool loss = t->life == Life::kRestart || t->life == Life::kStumble || t->bad();
    return loss && t->line < ends_->lines[source] && WorkBehind(source, t->line) >= kBeatsBehindLoss;
  });
}

uint64_t OtherSources::WorkBehind(uint32_t source, uint32_t line) const {
  uint64_t most = 0;
  for (const PulseFacts& p : model_.sources[source]->pulses) most = std::max(most, p.beats.After(line));
  return most;
}

// NODE_FAIL, and behind it COMPLETED of the same job, which was put into the queue again.
bool OtherSources::RecordedWell(const LifeSign& sign) const {
  if (sign.job.empty()) return false;
  return std::any_of(records_.begin(), records_.end(), [&](const LifeSign* well) {
    if (well->bad() || well->job != sign.job) return false;
    // In a file of its own it is a history only where it tells of more than one end.
    return std::any_of(records_.begin(), records_.end(), [&](const LifeSign* t) {
      return t->bad() && t->job == sign.job && t->source == well->source && t->line < well->line;
    });
  });
}

// Who runs the job says behind this end that it succeeded. It was that of a launcher's first try that reached nobody,
// where this source never worked, or of an attempt before, where the work that came to its end began only behind it.
bool OtherSources::ToldDone(const LifeSign& sign) const {
  if (told_.empty()) return false;
  const std::string_view ended = TimeOf(sign);
  const bool told = std::any_of(told_.begin(), told_.end(), [&](const LifeSign* said) {
    if (said->source == sign.source) return said->line > sign.line;
    const std::string_view time = TimeOf(*said);
    if (ended.empty() || time.empty()) return true;
    const auto between = TimeBetween(ended, time);
    return between && *between >= 0;
  });
  if (!told) return false;
  const bool worked = Works(sign.source.value);
  for (const uint32_t s : done_) {
    if (s != sign.source.value && (!worked || IsNext(sign.source.value, s, ended))) return true;
  }
  return !worked && sign.how != Ending::kException;
}

// `master.log` says that training is finished, and seconds later the workers are told to leave.
bool OtherSources::LeftWhenDone(const LifeSign& sign) const {
  if (done_.empty()) return false;
  const auto asks = [](const LifeSign& s) {
    return s.how == Ending::kStopped || IsRequest(s.signal) ||
           (s.code > kEndedBySignal && IsRequest(std::to_string(s.code - kEndedBySignal)));
  };
  // SignalException: Process 8811 got signal: 15      right behind the line that says that it was told
  const auto& of = of_source_[sign.source.value];
  const bool told = asks(sign) || std::any_of(of.begin(), of.end(), [&](const LifeSign* s) {
                      return s->line <= sign.line && s->line + kSameWords >= sign.line && asks(*s);
                    });
  if (!told) return false;
  const std::string_view left = TimeOf(sign);
  if (left.empty()) return false;
  for (const uint32_t s : done_) {
    if (s == sign.source.value) continue;
    const std::string_view done = DoneAt(s);
    const auto between = done.empty() ? std::nullopt : TimeBetween(done, left);
    if (between && *between >= 0 && *between <= kLeaves && AsFarAs(s, sign.source.value)) return true;
  }
  return false;
}

bool OtherSources::IsStrangers(const LifeSign& sign) const {
  const bool told = sign.of == SignOf::kNamed && sign.pid >= 0 && model_.sources[sign.source.value]->pulses.empty();
  if (!told || ends_->signs.empty()) return false;
  const bool known = std::any_of(model_.processes.begin(), model_.processes.end(),
                                 [&](const Process& p) { return p.pid == sign.pid; });
  for (size_t i = 0; i < model_.sources.size(); ++i) {
    if (!model_.sources[i]->pulses.empty() && ends_->lines[i] == 0) return false;
  }
  return !known;
}

bool OtherSources::AsFarAs(uint32_t a, uint32_t b) const {
  if (!Works(b)) return true;
  for (const PulseFacts& x : model_.sources[a]->pulses) {
    for (const PulseFacts& y : model_.sources[b]->pulses) {
      const bool same = x.total == y.total && model_.sources[a]->Str(x.name) == model_.sources[b]->Str(y.name);
      if (same && x.beats.count > 1 && y.last_value >= x.last_value * kAsFar) return true;
    }
  }
  return false;
}

bool OtherSources::EndedJustBefore(const LifeSign& sign) const {
  if (!sign.source.valid() || own_.empty()) return false;
  const std::string_view to = TimeOf(sign);
  if (to.empty()) return false;
  return std::any_of(own_.begin(), own_.end(), [&](const LifeSign* s) {
    if (s->source == sign.source) return false;
    const std::string_view from = TimeOf(*s);
    const auto between = from.empty() ? std::nullopt : TimeBetween(from, to);
    return between && *between > kSure && *between < kSoon;
  });
}

bool OtherSources::IsNext(uint32_t a, uint32_t b, std::string_view ended) const {
  const std::string_view done = DoneAt(b);
  if (ended.empty() || done.empty()) return false;
  const auto began = TimeBetween(ended, FirstBeat(b));
  if (began && *began >= 0) return true;
  const auto behind = TimeBetween(ended, done);
  if (!behind || *behind < kMoreSeconds) return false;
  for (const PulseFacts& x : model_.sources[a]->pulses) {
    for (const PulseFacts& y : model_.sources[b]->pulses) {
      const bool same = x.name.valid() && model_.sources[a]->Str(x.name) == model_.sources[b]->Str(y.name);
      if (same && y.beats.first > 0 && y.last_value > x.last_value) return true;
    }
  }
  return false;
}

bool OtherSources::Works(uint32_t source) const {
  constexpr uint64_t kFew = 3;
  const std::vector<PulseFacts>& pulses = model_.sources[source]->pulses;
  // A number that nobody names and that comes now and then is no work: a master counts the nodes that join.
  return std::any_of(pulses.begin(), pulses.end(), [](const PulseFacts& p) {
    return p.beats.count > (p.name.valid() || p.total > 0 ? kFew : kSteadyBeats);
  });
}

std::string_view OtherSources::FirstBeat(uint32_t source) const {
  const SourceFacts& facts = *model_.sources[source];
  const PulseFacts* first = nullptr;
  for (const PulseFacts& p : facts.pulses) {
    if (p.first_time.valid() && (first == nullptr || p.beats.first < first->beats.first)) first = &p;
  }
  return first == nullptr ? std::string_view() : facts.Str(first->first_time);
}

std::string_view OtherSources::TimeOf(const LifeSign& sign) const {
  if (!sign.time.empty()) return sign.time;
  const std::string_view own = StampOf(model_, {sign.source, sign.line, sign.offset, sign.text});
  if (!own.empty()) return own;
  // Another sign right above it, else the latest beat.
  const auto& of = of_source_[sign.source.value];
  auto it = std::upper_bound(of.begin(), of.end(), sign.line,
                             [](uint32_t line, const LifeSign* s) { return line < s->line; });
  while (it != of.begin()) {
    const LifeSign& above = **--it;
    if (above.line + kSameWords < sign.line) break;
    if (!above.time.empty()) return above.time;
    const std::string_view stamp = StampOf(model_, {above.source, above.line, above.offset, above.text});
    if (!stamp.empty()) return stamp;
  }
  const SourceFacts& facts = *model_.sources[sign.source.value];
  const PulseFacts* latest = nullptr;
  for (const PulseFacts& p : facts.pulses) {
    const bool before = p.last_time.valid() && p.beats.last < sign.line;
    if (before && (latest == nullptr || latest->beats.last < p.beats.last)) latest = &p;
  }
  return latest == nullptr ? std::string_view() : facts.Str(latest->last_time);
}

std::string_view OtherSources::DoneAt(uint32_t source) const {
  if (const auto said = ends_->signs.find(source); said != ends_->signs.end()) return TimeOf(*said->second);
  const SourceFacts& facts = *model_.sources[source];
  std::string_view latest;
  for (const PulseFacts& p : facts.pulses) {
    if (p.last_time.valid() && p.beats.last == ends_->lines[source]) latest = facts.Str(p.last_time);
  }
  return latest;
}

}  // namespace ncclwhy

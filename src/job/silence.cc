#include "job/silence.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "parser/clock.h"
#include "parser/pulse_words.h"

namespace ncclwhy {
namespace {

constexpr double kDay = 86400;
// Beats from which on it is known how long one takes.
constexpr uint64_t kKnownBeats = 4;
constexpr uint64_t kRhythmBeats = 10;
constexpr uint64_t kFirstOfRepeated = 2;
// How many steps, and seconds, are more than any evaluation, checkpoint or compilation that says nothing.
constexpr double kManySteps = 60;
constexpr double kLongest = 600;
// Ranks that have a file each and count alike: what they count is the work, whatever they call it.
constexpr size_t kRanksAlike = 4;

// The last line of a source, whoever printed it.
Place LastLine(const JobModel& model, SourceId source) {
  const SourceFacts& facts = *model.sources[source.value];
  const LineRef* last = nullptr;
  for (const ProcessFacts& p : facts.processes) {
    if (p.last.line > 0 && (last == nullptr || last->line < p.last.line)) last = &p.last;
  }
  if (last == nullptr) return {};
  return {source, last->line, last->offset, facts.Str(last->text)};
}

// When a source spoke last: by its last line, which has no stamp where a prefix held it, or by the latest of what it
// keeps measuring.
std::string_view LastStamp(const JobModel& model, const Place& last) {
  if (const std::string_view stamp = StampOf(model, last); !stamp.empty()) return stamp;
  const SourceFacts& facts = *model.sources[last.source.value];
  const PulseFacts* latest = nullptr;
  for (const PulseFacts& p : facts.pulses) {
    if (p.last_time.valid() && (latest == nullptr || latest->last.line < p.last.line)) latest = &p;
  }
  const auto is_earlier = [](const WaitFacts& a, const WaitFacts& b) { return a.last_line < b.last_line; };
  const auto wait = std::max_element(facts.waits.begin(), facts.waits.end(), is_earlier);
  if (wait != facts.waits.end() && (latest == nullptr || latest->last.line < wait->last_line)) {
    return facts.Str(wait->last_time);
  }
  return latest == nullptr ? std::string_view() : facts.Str(latest->last_time);
}

struct Work {
  const PulseFacts* pulse = nullptr;
  double silent = -1;  // seconds; -1: its last line is a beat, or has no stamp
  Place last;
};

uint64_t NewsBehind(const SourceFacts& facts, uint32_t line) {
  uint64_t news = 0;
  for (const NewsFacts& n : facts.news) news += n.lines.After(line);
  return news;
}

// What goes up and down counts nothing: load=7.99, mem=61 %
bool Wanders(const PulseFacts& pulse) {
  return !pulse.name.valid() && pulse.total <= 0 && (!pulse.peaks.empty() || pulse.last_value < pulse.first_value);
}

// Of a source the pulse of its work: that which beat last, of those that count something.
const PulseFacts* WorkOf(const SourceFacts& facts) {
  const PulseFacts* last = nullptr;
  for (const PulseFacts& p : facts.pulses) {
    if (!p.last_time.valid() || p.beats.count < kRhythmBeats || Wanders(p)) continue;
    if (last == nullptr || last->last.line < p.last.line) last = &p;
  }
  return last;
}

// A server that nobody asks anything has no work, and is well: GET /healthz 200
bool Idles(std::string_view line) {
  constexpr std::string_view kWords[] = {"GET /", "health", "metrics", "idle"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return line.find(word) != std::string_view::npos; });
}

bool IsCounted(const SourceFacts& facts, const PulseFacts& pulse, size_t alike) {
  return pulse.total > 0 || alike >= kRanksAlike || WorkUnitOf(facts.Str(pulse.name)) != nullptr;
}

}  // namespace

std::string_view StampOf(const JobModel& model, const Place& place) {
  const SourceFacts& facts = *model.sources[place.source.value];
  const auto at = std::lower_bound(facts.events.begin(), facts.events.end(), place.line,
                                   [](const Event& e, uint32_t line) { return e.line < line; });
  const bool stamped = at != facts.events.end() && at->line == place.line && at->time.valid();
  return stamped ? facts.Str(at->time) : StampIn(place.text);
}

std::string_view LastStampOf(const JobModel& model, SourceId source) {
  const Place last = LastLine(model, source);
  return last.source.valid() ? LastStamp(model, last) : std::string_view();
}

std::optional<double> TimeBetween(std::string_view first, std::string_view last) {
  const auto from = InstantOf(first);
  const auto to = InstantOf(last);
  if (!from || !to) return std::nullopt;
  const bool clocks = first.find(':') != std::string_view::npos && last.find(':') != std::string_view::npos;
  if (from->scale == to->scale) {
    const auto between = SecondsBetween(first, last);
    // 23:14:22 and 00:07:05: midnight was between.
    if (!between || *between >= 0 || from->scale != ClockScale::kDay) return between;
    return *between < -kDay / 2 ? std::optional(*between + kDay) : between;
  }
  if (!clocks) return std::nullopt;
  double between = std::fmod(to->seconds, kDay) - std::fmod(from->seconds, kDay);
  if (between < 0) between += kDay;
  return between < kDay / 2 ? std::optional(between) : std::nullopt;
}

const PulseFacts* LastStampedPulse(const SourceFacts& facts) {
  const PulseFacts* last = nullptr;
  for (const PulseFacts& p : facts.pulses) {
    if (!p.last_time.valid() || p.beats.count < kKnownBeats) continue;
    if (last == nullptr || last->last.line < p.last.line) last = &p;
  }
  return last;
}

bool SaysMoreBetween(const SourceFacts& facts, uint32_t after, uint32_t before) {
  return std::any_of(facts.news.begin(), facts.news.end(),
                     [&](const NewsFacts& n) { return n.lines.After(after) > n.lines.After(before - 1); });
}

std::optional<Place> SilentWork(const JobModel& model) {
  std::vector<Work> works;
  std::map<std::string_view, size_t> alike;  // name of what is counted -> sources
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& facts = *model.sources[s];
    const PulseFacts* pulse = WorkOf(facts);
    if (pulse == nullptr) continue;
    // What has come to what it counts to is over.
    if (pulse->total > 0 && pulse->last_value >= pulse->total) return std::nullopt;
    Work work{pulse, -1, LastLine(model, SourceId{s})};
    if (work.last.line > pulse->last.line) {
      // New things behind the last beat: it evaluates, saves, or winds up. The first line of whoever repeats itself is
      // new, too, and a step that was cut.
      if (NewsBehind(facts, pulse->last.line) > kFirstOfRepeated) return std::nullopt;
      work.silent = TimeBetween(facts.Str(pulse->last_time), LastStamp(model, work.last)).value_or(-1);
    }
    works.push_back(work);
    ++alike[facts.Str(pulse->name)];
  }
  for (const Work& work : works) {
    const SourceFacts& facts = *model.sources[work.last.source.value];
    const auto took = TimeBetween(facts.Str(work.pulse->first_time), facts.Str(work.pulse->last_time));
    if (!took || *took <= 0 || work.silent < kLongest || Idles(work.last.text)) continue;
    const double step = *took / static_cast<double>(work.pulse->beats.count - 1);
    if (work.silent < kManySteps * step) continue;
    const std::string_view name = facts.Str(work.pulse->name);
    if (!IsCounted(facts, *work.pulse, alike[name])) continue;
    // A file that counts further worked on when this one had stopped.
    const bool behind = std::any_of(works.begin(), works.end(), [&](const Work& other) {
      const SourceFacts& theirs = *model.sources[other.last.source.value];
      return theirs.Str(other.pulse->name) == name && other.pulse->last_value > work.pulse->last_value + 1;
    });
    if (!behind) return work.last;
  }
  return std::nullopt;
}

std::optional<Place> CountedWait(const JobModel& model) {
  constexpr uint64_t kWorksOn = 3;
  constexpr double kHalfDay = 12 * 60 * 60;  // of two clocks without a date the one that is more ahead was before
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    const SourceFacts& facts = *model.sources[s];
    for (const WaitFacts& wait : facts.waits) {
      if (wait.seconds < kLongest || NewsBehind(facts, wait.last_line) > kFirstOfRepeated) continue;
      const auto goes_on = [&](const PulseFacts& p) { return p.beats.After(wait.first_line) >= kWorksOn; };
      if (std::any_of(facts.pulses.begin(), facts.pulses.end(), goes_on)) continue;
      // Without a stamp nobody knows what came later: whoever worked in another source must wait there, too.
      const auto waits_there = [&](const PulseFacts& p, const SourceFacts& there) {
        return std::any_of(there.waits.begin(), there.waits.end(),
                           [&](const WaitFacts& w) { return w.last_line > p.beats.last; });
      };
      const bool elsewhere = std::any_of(model.sources.begin(), model.sources.end(), [&](const SourceFacts* other) {
        return std::any_of(other->pulses.begin(), other->pulses.end(), [&](const PulseFacts& p) {
          if (other == &facts) return false;
          if (!wait.last_time.valid()) return IsCounted(*other, p, 0) && !waits_there(p, *other);
          if (!p.last_time.valid()) return false;
          const double later = TimeBetween(facts.Str(wait.last_time), other->Str(p.last_time)).value_or(0);
          return later > 0 && later < kHalfDay;
        });
      });
      const Place last = LastLine(model, SourceId{s});
      if (!elsewhere && !Idles(last.text)) return last;
    }
  }
  return std::nullopt;
}

const LifeSign* SilentStart(const JobModel& model, const std::vector<LifeSign>& signs) {
  // The others say that they enter, too, and whoever repeats himself has a first line.
  constexpr uint64_t kLastWords = 8;
  for (const SourceFacts* facts : model.sources) {
    const auto works = [&](const PulseFacts& p) { return IsCounted(*facts, p, 0); };
    if (std::any_of(facts->pulses.begin(), facts->pulses.end(), works)) return nullptr;
  }
  std::map<uint32_t, const LifeSign*> entered;  // the latest of each source
  for (const LifeSign& s : signs) {
    if (s.life == Life::kEntering && s.source.valid()) entered[s.source.value] = &s;
  }
  const LifeSign* latest = nullptr;
  for (const auto& [source, sign] : entered) {
    const SourceFacts& facts = *model.sources[source];
    const uint32_t line = std::max(sign->line, sign->last_line);
    const Place last = LastLine(model, sign->source);
    if (NewsBehind(facts, line) > kLastWords || Idles(last.text)) return nullptr;
    std::string_view from = sign->time.empty() ? StampOf(model, {sign->source, sign->line, sign->offset, sign->text})
                                               : std::string_view(sign->time);
    // Lines of a launcher or watcher behind it begin to tell the time.
    for (const PulseFacts& p : facts.pulses) {
      if (from.empty() && p.first_time.valid() && p.beats.first > line) from = facts.Str(p.first_time);
    }
    const auto silent = from.empty() ? std::nullopt : TimeBetween(from, LastStamp(model, last));
    if (silent && *silent >= kLongest) latest = sign;
  }
  return latest;
}

}  // namespace ncclwhy

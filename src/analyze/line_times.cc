#include "analyze/line_times.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>

#include "analyze/place_evidence.h"
#include "parser/clean_text.h"
#include "parser/clock.h"
#include "parser/timestamp.h"

namespace ncclwhy {
namespace {

constexpr size_t kStampColumns = 48;  // of a line, in which its stamp begins and ends
// Events without a stamp that are passed over: a flood of them would be walked through for each line.
constexpr size_t kPassedOver = 256;
// Of the stamps of events those are looked at, spread over the source, that show whether they run forward.
constexpr size_t kLookedAt = 256;
// Ranks that write into one stream pass each other by so many seconds; a clock that was set goes back further.
constexpr double kJitter = 5;
constexpr double kHalfADay = 43200;  // further back is midnight, on a clock without a date

std::vector<Event>::const_iterator FirstFrom(const SourceFacts& facts, uint64_t line) {
  return std::lower_bound(facts.events.begin(), facts.events.end(), line,
                          [](const Event& e, uint64_t wanted) { return e.line < wanted; });
}

// Farther behind it may be how long something took: the column Elapsed of sacct.
//   {"ts": 1795345798.551, "level": "ERROR", "rank": 0, …}
std::string_view StampOfText(std::string_view text) {
  if (text.starts_with("{\"")) {
    JsonLog log;
    std::string scratch;
    ParseJsonLog(text, scratch, &log);
    return log.time;  // a view of the text
  }
  const size_t in_front = TimestampLength(text, nullptr);
  return in_front > 0 ? text.substr(0, in_front) : StampIn(text.substr(0, kStampColumns));
}

// The latest stamps of each scale, going through a source.
class Latest {
 public:
  // Whether a stamp runs on behind those before it; what cannot be read does. `keep`: it is one of those then.
  bool Fits(std::string_view time, bool keep) {
    const auto at = InstantOf(time);
    if (!at) return true;
    std::optional<double>& before = latest_[Scale(time, *at)];
    const double back = before ? *before - at->seconds : 0;
    const bool midnight = at->scale == ClockScale::kDay && back > kHalfADay;
    if (keep) before = midnight ? at->seconds : std::max(before.value_or(at->seconds), at->seconds);
    return midnight || back <= kJitter + at->grain;
  }
  // The same, going from the end to the beginning.
  bool FitsBefore(std::string_view time, bool keep) {
    const auto at = InstantOf(time);
    if (!at) return true;
    std::optional<double>& behind = latest_[Scale(time, *at)];
    const double ahead = behind ? at->seconds - *behind : 0;
    const bool midnight = at->scale == ClockScale::kDay && ahead > kHalfADay;
    if (keep) behind = midnight ? at->seconds : std::min(behind.value_or(at->seconds), at->seconds);
    return midnight || ahead <= kJitter + at->grain;
  }

 private:
  static size_t Scale(std::string_view time, const Instant& at) {
    return IsEpoch(time) ? kScales : static_cast<size_t>(at.scale);
  }
  static constexpr size_t kScales = 4;
  std::array<std::optional<double>, kScales + 1> latest_;
};

}  // namespace

LineTimes::LineTimes(const CaseFile& c) : model_(c.model), sources_(c.model.sources.size()) {
  for (const EvidenceItem& item : c.items) {
    const Finding& f = item.finding;
    if (!f.source.valid() || f.line == 0) continue;
    // What a launcher or a scheduler tells of somebody's end has its stamp where it likes.
    //   slurmstepd: error: *** STEP 37.0 ON node2 CANCELLED AT 2026-11-22T11:09:16 ***
    const std::string_view time = f.time.empty() ? StampIn(f.text) : std::string_view(f.time);
    if (!time.empty()) sources_[f.source.value].stamps.push_back({f.line, time, f.time.empty()});
  }
  for (size_t s = 0; s < sources_.size(); ++s) {
    const SourceFacts& facts = *model_.sources[s];
    std::vector<Lent>& stamps = sources_[s].stamps;
    for (const PulseFacts& p : facts.pulses) {
      if (p.last_time.valid()) stamps.push_back({p.last.line, facts.Str(p.last_time)});
      if (p.first_time.valid()) stamps.push_back({p.beats.first, facts.Str(p.first_time)});
    }
    for (const WaitFacts& w : facts.waits) {
      if (w.last_time.valid()) stamps.push_back({w.last_line, facts.Str(w.last_time)});
    }
    std::stable_sort(stamps.begin(), stamps.end());
  }
}

LineTimes::Stamp LineTimes::Own(SourceId source, uint64_t line, std::string_view text) const {
  if (source.valid()) {
    const Event* event = EventAt(model_, source, line);
    if (event != nullptr && event->time.valid()) return {model_.sources[source.value]->Str(event->time), line};
    const std::vector<Lent>& stamps = sources_[source.value].stamps;
    auto at = std::lower_bound(stamps.begin(), stamps.end(), Lent{static_cast<uint32_t>(line), {}});
    for (; at != stamps.end() && at->line == line; ++at) {
      if (!at->inside) return {at->time, line};
    }
  }
  const std::string_view own = StampOfText(text);
  return own.empty() ? Stamp() : Stamp{own, line};
}

LineTimes::Stamp LineTimes::Of(SourceId source, uint64_t line, std::string_view text) {
  Stamp own = Own(source, line, text);
  if (!own.time.empty() || !source.valid() || !RunsForward(source)) return own;
  own = OfEventBefore(*model_.sources[source.value], line);
  const std::vector<Lent>& stamps = sources_[source.value].stamps;
  const auto behind = std::upper_bound(stamps.begin(), stamps.end(), Lent{static_cast<uint32_t>(line), {}});
  if (behind != stamps.begin() && std::prev(behind)->line > own.line) {
    own = {std::prev(behind)->time, std::prev(behind)->line};
  }
  return own;
}

std::vector<LineTimes::Stamp> LineTimes::EndsOf(SourceId source) const {
  std::vector<Stamp> out;
  const SourceFacts& facts = *model_.sources[source.value];
  const auto stamped = [](const Event& e) { return e.time.valid(); };
  const auto room = static_cast<ptrdiff_t>(std::min(facts.events.size(), kPassedOver));
  const auto first = std::find_if(facts.events.begin(), facts.events.begin() + room, stamped);
  if (first != facts.events.begin() + room) out.push_back({facts.Str(first->time), first->line});
  const auto last = std::find_if(facts.events.rbegin(), facts.events.rbegin() + room, stamped);
  if (last != facts.events.rbegin() + room) out.push_back({facts.Str(last->time), last->line});
  const std::vector<Lent>& stamps = sources_[source.value].stamps;
  const auto own = [](const Lent& s) { return !s.inside; };
  if (const auto at = std::find_if(stamps.begin(), stamps.end(), own); at != stamps.end())
    out.push_back({at->time, at->line});
  if (const auto at = std::find_if(stamps.rbegin(), stamps.rend(), own); at != stamps.rend()) {
    out.push_back({at->time, at->line});
  }
  return out;
}

LineTimes::Stamp LineTimes::OfEventBefore(const SourceFacts& facts, uint64_t line) const {
  auto at = FirstFrom(facts, line);
  for (size_t passed = 0; at != facts.events.begin() && passed < kPassedOver; ++passed) {
    --at;
    if (at->time.valid()) return {facts.Str(at->time), at->line};
  }
  return {};
}

// Stamps of each scale for themselves: a program's dates and the kernel's seconds since boot have no common zero, and
// seconds since 1970 are of no time zone.
bool LineTimes::RunsForward(SourceId id) {
  Source& source = sources_[id.value];
  if (source.asked) return source.forward;
  source.asked = source.forward = true;
  const SourceFacts& facts = *model_.sources[id.value];
  std::vector<Lent> all = source.stamps;
  const size_t every = facts.events.size() / kLookedAt + 1;
  for (size_t i = 0; i < facts.events.size(); i += every) {
    const Event& e = facts.events[i];
    if (e.time.valid()) all.push_back({e.line, facts.Str(e.time)});
  }
  std::stable_sort(all.begin(), all.end());
  Latest latest;
  for (const Lent& stamp : all) {
    if (!stamp.inside && !latest.Fits(stamp.time, true)) source.forward = false;
  }
  if (!source.forward) return false;
  // Those within words have to fit between what stands in front of them and behind them.
  std::set<const char*> misplaced;
  latest = {};
  for (const Lent& stamp : all) {
    if (!latest.Fits(stamp.time, !stamp.inside)) misplaced.insert(stamp.time.data());
  }
  Latest next;
  for (auto stamp = all.rbegin(); stamp != all.rend(); ++stamp) {
    if (!next.FitsBefore(stamp->time, !stamp->inside)) misplaced.insert(stamp->time.data());
  }
  std::erase_if(source.stamps, [&](const Lent& s) { return s.inside && misplaced.contains(s.time.data()); });
  return true;
}

}  // namespace ncclwhy

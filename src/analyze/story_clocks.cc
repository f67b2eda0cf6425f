#include "analyze/story_clocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "analyze/place_evidence.h"

namespace ncclwhy {
namespace {

constexpr double kLeastZone = 1800;  // seconds: no two zones are closer
constexpr double kLongEnough = 1;    // seconds: who reads the logs of two hosts side by side goes wrong

}  // namespace

StoryClock::StoryClock(const JobModel& model) : model_(model), clocks_(AlignClocks(model)) {
  for (const HostClock& clock : clocks_.measured) measured_.emplace(clock.host, &clock);
  for (uint32_t i = 0; i < model.sources.size(); ++i) sources_.emplace(model.sources[i]->name, SourceId{i});
}

std::vector<HostOffset> StoryClock::Put(const std::vector<uint64_t>& stamped, std::vector<TimelineStep>* steps) {
  Stamps(stamped, steps);
  for (const HostClock& clock : clocks_.measured) {
    if (!clock.apart()) continue;
    const uint64_t of_host = StepsOf(clock.host);
    out_.push_back({std::string(clock.host), std::string(clock.reference), clock.ahead, clock.error,
                    static_cast<uint64_t>(clock.communicators), of_host,
                    std::abs(clock.ahead) > kLongEnough || TurnsRound(clock.host)});
  }
  for (const std::string_view host : clocks_.contrary) Unknown(host, clocks_.reference);
  AgainstTheStory(*steps);
  std::stable_sort(out_.begin(), out_.end(), [](const HostOffset& a, const HostOffset& b) {
    const auto key = [](const HostOffset& h) { return std::tuple(h.steps == 0, -std::abs(h.ahead.value_or(0))); };
    return key(a) < key(b);
  });
  return std::move(out_);
}

std::optional<double> StoryClock::SecondsOf(SourceId source, uint64_t line, std::string_view time) const {
  if (!first_ || time.empty()) return std::nullopt;
  const auto at = InstantOf(time);
  if (!at || at->scale != scale_ || !(IsEpoch(time) ? epochs_ : dates_)) return std::nullopt;
  return at->seconds + MovedAt(HostOf(source, line)) - *first_;
}

// Stamps of another scale than most have cannot stand on the same line of time.
void StoryClock::Stamps(const std::vector<uint64_t>& stamped, std::vector<TimelineStep>* steps) {
  std::array<size_t, 4> scales{};
  for (size_t i = 0; i < steps->size(); ++i) {
    Stamp stamp;
    stamp.at = InstantOf((*steps)[i].time);
    stamp.lent = stamped[i] != (*steps)[i].line;
    if (const auto source = sources_.find((*steps)[i].file); source != sources_.end()) {
      stamp.host = HostOf(source->second, stamped[i]);
    }
    if (stamp.at) ++scales[static_cast<size_t>(stamp.at->scale)];
    stamps_.push_back(stamp);
  }
  scale_ = static_cast<ClockScale>(std::max_element(scales.begin(), scales.end()) - scales.begin());
  DropOtherZone(*steps);
  double last = 0;
  for (size_t i = 0; i < stamps_.size(); ++i) {
    Stamp& stamp = stamps_[i];
    if (stamp.at && stamp.at->scale != scale_) stamp.at.reset();
    if (!stamp.at) continue;
    (*steps)[i].moved = MovedAt(stamp.host);
    stamp.raw = stamp.at->seconds;
    stamp.aligned = stamp.raw + (*steps)[i].moved;
    last = std::max(first_ ? last : stamp.aligned, stamp.aligned);
    first_ = std::min(first_.value_or(stamp.aligned), stamp.aligned);
  }
  for (size_t i = 0; i < stamps_.size(); ++i) {
    if (stamps_[i].at) (*steps)[i].seconds = stamps_[i].aligned - *first_;
  }
  runs_ = first_ && last > *first_;
}

// Seconds since 1970 beside dates of a place that is hours away from Greenwich: the fewer of them have no time then.
//   {"ts": 1795345798.551, …}      slurmstepd: error: *** STEP 44.0 ON node2 CANCELLED AT 2026-11-22T19:09:59 ***
void StoryClock::DropOtherZone(const std::vector<TimelineStep>& steps) {
  std::vector<size_t> epochs, dates;
  for (size_t i = 0; i < stamps_.size(); ++i) {
    if (stamps_[i].at && stamps_[i].at->scale == ClockScale::kDate)
      (IsEpoch(steps[i].time) ? epochs : dates).push_back(i);
  }
  if (epochs.empty() || dates.empty()) return;
  for (const size_t e : epochs) {
    for (const size_t d : dates) {
      if (std::abs(stamps_[e].at->seconds - stamps_[d].at->seconds) < kLeastZone) return;
    }
  }
  (epochs.size() < dates.size() ? epochs_ : dates_) = false;
  for (const size_t i : epochs_ ? dates : epochs) stamps_[i].at.reset();
}

// The host of the process that printed the line; else that of its file, where all of it is of one host.
std::string_view StoryClock::HostOf(SourceId source, uint64_t line) const {
  if (const Event* event = EventAt(model_, source, line)) {
    const ProcessId process = model_.ProcessOf(source, event->process, event->launcher_rank);
    if (process.valid() && !model_.processes[process.value].host.empty()) return model_.processes[process.value].host;
  }
  return model_.source_hosts[source.value];
}

// Seconds that put a stamp of this host on the reference's clock.
double StoryClock::MovedAt(std::string_view host) const {
  const auto clock = measured_.find(host);
  return clock != measured_.end() && clock->second->apart() ? -clock->second->ahead : 0;
}

uint64_t StoryClock::StepsOf(std::string_view host) const {
  return static_cast<uint64_t>(
      std::count_if(stamps_.begin(), stamps_.end(), [&](const Stamp& s) { return s.at && s.host == host; }));
}

// Whether steps of this host and of another one stand in another order by their own clocks.
bool StoryClock::TurnsRound(std::string_view host) const {
  for (const Stamp& a : stamps_) {
    for (const Stamp& b : stamps_) {
      if (!a.at || !b.at || a.host != host || b.host == host) continue;
      if ((a.raw < b.raw) != (a.aligned < b.aligned)) return true;
    }
  }
  return false;
}

// Said where steps of both are drawn.
void StoryClock::Unknown(std::string_view host, std::string_view reference) {
  const uint64_t steps = StepsOf(host);
  const bool others = std::any_of(stamps_.begin(), stamps_.end(),
                                  [&](const Stamp& s) { return s.at && !s.host.empty() && s.host != host; });
  if (steps == 0 || !others) return;
  out_.push_back({std::string(host), std::string(reference), std::nullopt, -1, 0, steps, true});
}

// What followed is stamped before what broke, by a clock that nothing was measured of.
void StoryClock::AgainstTheStory(const std::vector<TimelineStep>& steps) {
  const Stamp* root = nullptr;
  for (size_t i = 0; i < steps.size(); ++i) {
    const Stamp& stamp = stamps_[i];
    if (!stamp.at || stamp.host.empty()) continue;
    if (steps[i].kind == "root") root = &stamp;
    if (root == nullptr || steps[i].kind != "consequence" || stamp.host == root->host) continue;
    if (stamp.lent || stamp.aligned + stamp.at->grain > root->aligned) continue;
    const bool known = measured_.contains(stamp.host);
    if (known && measured_.contains(root->host)) continue;
    const std::string_view host = known ? root->host : stamp.host;
    const std::string_view other = known ? stamp.host : root->host;
    const bool told =
        std::any_of(out_.begin(), out_.end(), [&](const HostOffset& h) { return h.host == host && !h.ahead; });
    if (!told) Unknown(host, other);
  }
}

}  // namespace ncclwhy

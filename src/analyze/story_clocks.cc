#include "analyze/story_clocks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "analyze/place_evidence.h"
#include "job/host_clocks.h"
#include "parser/clock.h"

namespace ncclwhy {
namespace {

constexpr double kLongEnough = 1;  // seconds: who reads the logs of two hosts side by side goes wrong

// When a step was, by its own clock (raw) and by the reference's (aligned): seconds of the clock's scale, which only
// compare.
struct Stamp {
  std::optional<Instant> at;
  std::string_view host;  // by whose clock; empty where it is not known
  double raw = 0;
  double aligned = 0;
};

class StoryClocks {
 public:
  StoryClocks(const JobModel& model, std::vector<TimelineStep>* steps)
      : model_(model), steps_(*steps), clocks_(AlignClocks(model)) {
    for (const HostClock& clock : clocks_.measured) measured_.emplace(clock.host, &clock);
    for (uint32_t i = 0; i < model.sources.size(); ++i) sources_.emplace(model.sources[i]->name, SourceId{i});
  }

  std::vector<HostOffset> Put() {
    Stamps();
    for (const HostClock& clock : clocks_.measured) {
      if (!clock.apart()) continue;
      const uint64_t steps = StepsOf(clock.host);
      out_.push_back({std::string(clock.host), std::string(clock.reference), clock.ahead, clock.error,
                      static_cast<uint64_t>(clock.communicators), steps,
                      std::abs(clock.ahead) > kLongEnough || TurnsRound(clock.host)});
    }
    for (const std::string_view host : clocks_.contrary) Unknown(host, clocks_.reference);
    AgainstTheStory();
    std::stable_sort(out_.begin(), out_.end(), [](const HostOffset& a, const HostOffset& b) {
      const auto key = [](const HostOffset& h) { return std::tuple(h.steps == 0, -std::abs(h.ahead.value_or(0))); };
      return key(a) < key(b);
    });
    return std::move(out_);
  }

 private:
  // Stamps of another scale than most have cannot stand on the same line of time.
  void Stamps() {
    std::array<size_t, 4> scales{};
    for (const TimelineStep& step : steps_) {
      Stamp stamp;
      stamp.at = InstantOf(step.time);
      stamp.host = HostOf(step);
      if (stamp.at) ++scales[static_cast<size_t>(stamp.at->scale)];
      stamps_.push_back(stamp);
    }
    const auto scale = static_cast<ClockScale>(std::max_element(scales.begin(), scales.end()) - scales.begin());
    std::optional<double> first;
    for (size_t i = 0; i < stamps_.size(); ++i) {
      Stamp& stamp = stamps_[i];
      if (stamp.at && stamp.at->scale != scale) stamp.at.reset();
      if (!stamp.at) continue;
      const auto clock = measured_.find(stamp.host);
      const bool apart = clock != measured_.end() && clock->second->apart();
      steps_[i].moved = apart ? -clock->second->ahead : 0;
      stamp.raw = stamp.at->seconds;
      stamp.aligned = stamp.raw + steps_[i].moved;
      first = std::min(first.value_or(stamp.aligned), stamp.aligned);
    }
    for (size_t i = 0; i < stamps_.size(); ++i) {
      if (stamps_[i].at) steps_[i].seconds = stamps_[i].aligned - *first;
    }
  }

  // The host of the process that printed the line; else that of its file, where all of it is of one host.
  std::string_view HostOf(const TimelineStep& step) const {
    const auto source = sources_.find(step.file);
    if (source == sources_.end()) return {};
    if (const Event* event = EventAt(model_, source->second, step.line)) {
      const ProcessId process = model_.ProcessOf(source->second, event->process, event->launcher_rank);
      if (process.valid() && !model_.processes[process.value].host.empty()) return model_.processes[process.value].host;
    }
    return model_.source_hosts[source->second.value];
  }

  uint64_t StepsOf(std::string_view host) const {
    return static_cast<uint64_t>(
        std::count_if(stamps_.begin(), stamps_.end(), [&](const Stamp& s) { return s.at && s.host == host; }));
  }

  // Whether steps of this host and of another one stand in another order by their own clocks.
  bool TurnsRound(std::string_view host) const {
    for (const Stamp& a : stamps_) {
      for (const Stamp& b : stamps_) {
        if (!a.at || !b.at || a.host != host || b.host == host) continue;
        if ((a.raw < b.raw) != (a.aligned < b.aligned)) return true;
      }
    }
    return false;
  }

  // Said where steps of both are drawn.
  void Unknown(std::string_view host, std::string_view reference) {
    const uint64_t steps = StepsOf(host);
    const bool others = std::any_of(stamps_.begin(), stamps_.end(),
                                    [&](const Stamp& s) { return s.at && !s.host.empty() && s.host != host; });
    if (steps == 0 || !others) return;
    out_.push_back({std::string(host), std::string(reference), std::nullopt, -1, 0, steps, true});
  }

  // What followed is stamped before what broke, by a clock that nothing was measured of.
  void AgainstTheStory() {
    const Stamp* root = nullptr;
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Stamp& stamp = stamps_[i];
      if (!stamp.at || stamp.host.empty()) continue;
      if (steps_[i].kind == "root") root = &stamp;
      if (root == nullptr || steps_[i].kind != "consequence" || stamp.host == root->host) continue;
      if (stamp.aligned + stamp.at->grain > root->aligned) continue;
      const bool known = measured_.contains(stamp.host);
      if (known && measured_.contains(root->host)) continue;
      const std::string_view host = known ? root->host : stamp.host;
      const std::string_view other = known ? stamp.host : root->host;
      const bool told =
          std::any_of(out_.begin(), out_.end(), [&](const HostOffset& h) { return h.host == host && !h.ahead; });
      if (!told) Unknown(host, other);
    }
  }

  const JobModel& model_;
  std::vector<TimelineStep>& steps_;
  const HostClocks clocks_;
  std::map<std::string_view, const HostClock*> measured_;
  std::map<std::string_view, SourceId> sources_;
  std::vector<Stamp> stamps_;  // of the steps
  std::vector<HostOffset> out_;
};

}  // namespace

std::vector<HostOffset> PutOnOneClock(const JobModel& model, std::vector<TimelineStep>* steps) {
  return StoryClocks(model, steps).Put();
}

}  // namespace ncclwhy

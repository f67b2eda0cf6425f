#include "job/host_clocks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "parser/clock.h"

namespace ncclwhy {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr double kDaySeconds = 86400;

// What a host has printed of one communicator.
struct Seen {
  double latest_start = -kForever;
  double earliest_end = kForever;
};
using SeenByHost = std::map<std::string_view, Seen>;

struct Bounds {
  double least = -kForever;
  double most = kForever;
  int communicators = 0;
};

std::optional<Instant> TimeAt(const JobModel& model, const Place& place) {
  if (place.line == 0 || !place.source.valid()) return std::nullopt;
  const SourceFacts& facts = *model.sources[place.source.value];
  // Events are in line order.
  const auto at = std::lower_bound(facts.events.begin(), facts.events.end(), place.line,
                                   [](const Event& e, uint32_t line) { return e.line < line; });
  if (at == facts.events.end() || at->line != place.line || !at->time.valid()) return std::nullopt;
  return InstantOf(facts.Str(at->time));
}

class Alignment {
 public:
  explicit Alignment(const JobModel& model) {
    if (!model.largest.valid() || model.hosts.size() < 2) return;
    for (const Communicator& c : model.communicators) Read(model, c);
    for (const Rank& r : model.communicators[model.largest.value].ranks) {
      if (r.seen && !r.host.empty()) {
        first_ = r.host;
        break;
      }
    }
  }

  HostClocks Result() const {
    // Measured against the host of rank 0, since most readers begin with its log.
    HostClocks out = Against(first_);
    const size_t odd = Odd(out);
    if (2 * odd <= out.measured.size() + out.contrary.size()) return out;
    // Most of them do not agree with rank 0's: if they do with each other, it is that one that stands apart.
    std::stable_sort(out.measured.begin(), out.measured.end(), [](auto& a, auto& b) { return a.ahead < b.ahead; });
    HostClocks other =
        Against(out.measured.empty() ? out.contrary.front() : out.measured[out.measured.size() / 2].host);
    // Only if fewer stand apart then.
    return Odd(other) < odd ? other : Against(first_);
  }

 private:
  static size_t Odd(const HostClocks& clocks) {
    const auto apart = std::count_if(clocks.measured.begin(), clocks.measured.end(), [](auto& c) { return c.apart(); });
    return static_cast<size_t>(apart) + clocks.contrary.size();
  }

  void Read(const JobModel& model, const Communicator& c) {
    // Two processes that claim one rank began at different times: nothing of the kind holds.
    const auto twice = std::adjacent_find(c.ranks.begin(), c.ranks.end(),
                                          [](const Rank& a, const Rank& b) { return a.rank == b.rank; });
    // Such a communicator is several: see job_groups.
    if (twice != c.ranks.end()) return;
    SeenByHost by_host;
    std::optional<double> first;
    for (const Rank& r : c.ranks) {
      if (r.host.empty()) continue;
      const auto start = Comparable(TimeAt(model, r.init_start), &first);
      const auto end = Comparable(TimeAt(model, r.init_complete), &first);
      if (!start && !end) continue;
      Seen& seen = by_host[r.host];
      if (start) seen.latest_start = std::max(seen.latest_start, *start);
      if (end) seen.earliest_end = std::min(seen.earliest_end, *end);
    }
    // What one host alone has seen says nothing of two clocks.
    if (by_host.size() > 1) seen_.push_back(std::move(by_host));
  }

  // On the scale of the first stamp of all. Where stamps have no date, midnight may lie between two of a communicator:
  // what is less than half a day from its first one is meant.
  std::optional<double> Comparable(const std::optional<Instant>& time, std::optional<double>* first) {
    if (!time) return std::nullopt;
    if (!scale_) scale_ = time->scale;
    if (time->scale != *scale_) return std::nullopt;
    grain_ = std::max(grain_, time->grain);
    double seconds = time->seconds;
    if (!*first) *first = seconds;
    if (time->scale == ClockScale::kDay) {
      if (seconds - **first > kDaySeconds / 2) seconds -= kDaySeconds;
      if (seconds - **first < -kDaySeconds / 2) seconds += kDaySeconds;
    }
    return seconds;
  }

  HostClocks Against(std::string_view reference) const {
    std::map<std::string_view, Bounds> bounds;
    for (const SeenByHost& by_host : seen_) {
      const auto a = by_host.find(reference);
      if (a == by_host.end()) continue;
      for (const auto& [host, b] : by_host) {
        if (host == reference) continue;
        // All begin before any has ended: a clock of b is ahead of a's by at least the latest start there less the
        // earliest end here.
        const double least = b.latest_start - a->second.earliest_end;
        const double most = b.earliest_end - a->second.latest_start;
        if (!std::isfinite(least) || !std::isfinite(most)) continue;
        Bounds& known = bounds[host];
        known.least = std::max(known.least, least);
        known.most = std::min(known.most, most);
        ++known.communicators;
      }
    }
    HostClocks out;
    out.reference = reference;
    for (const auto& [host, known] : bounds) {
      // A stamp is known to its last digit only.
      const double least = known.least - grain_, most = known.most + grain_;
      if (least > most) {
        // The bounds contradict one another: the clock was set meanwhile, or the stamps are not of these hosts.
        out.contrary.push_back(host);
      } else {
        out.measured.push_back({host, reference, (least + most) / 2, (most - least) / 2, known.communicators});
      }
    }
    if (!out.measured.empty()) out.measured.insert(out.measured.begin(), {reference, reference, 0, 0, 0});
    return out;
  }

  std::vector<SeenByHost> seen_;  // of each communicator that several hosts have
  std::string_view first_;        // the host of rank 0
  std::optional<ClockScale> scale_;
  double grain_ = 0;
};

}  // namespace

HostClocks AlignClocks(const JobModel& model) { return Alignment(model).Result(); }

}  // namespace ncclwhy

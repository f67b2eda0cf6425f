#include "job/host_clocks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "job/clock.h"

namespace ncclwhy {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();

// What a host has printed of one communicator.
struct Seen {
  double latest_start = -kForever;
  double earliest_end = kForever;
};

struct Bounds {
  double least = -kForever;
  double most = kForever;
  int communicators = 0;
};

// Stamps are cut off: "10:11:12" may be any moment of that second.
double GrainOf(std::string_view time) {
  const size_t colon = time.rfind(':');
  const size_t mark = time.find_first_of(".,", colon == std::string_view::npos ? 0 : colon);
  int digits = 0;
  for (size_t i = mark; mark != std::string_view::npos && i + 1 < time.size(); ++i) {
    if (time[i + 1] < '0' || time[i + 1] > '9') break;
    ++digits;
  }
  return std::pow(10.0, -digits);
}

std::optional<double> TimeAt(const JobModel& model, const Place& place, double* grain) {
  if (place.line == 0 || !place.source.valid()) return std::nullopt;
  const SourceFacts& facts = *model.sources[place.source.value];
  const auto at = std::lower_bound(facts.events.begin(), facts.events.end(), place.line,
                                   [](const Event& e, uint32_t line) { return e.line < line; });
  if (at == facts.events.end() || at->line != place.line || !at->time.valid()) return std::nullopt;
  const std::string_view time = facts.Str(at->time);
  *grain = std::max(*grain, GrainOf(time));
  return SecondsOf(time);
}

}  // namespace

std::vector<HostClock> AlignClocks(const JobModel& model) {
  if (!model.largest.valid() || model.hosts.size() < 2) return {};
  std::string_view reference;
  for (const Rank& r : model.communicators[model.largest.value].ranks) {
    if (r.seen && !r.host.empty() && reference.empty()) reference = r.host;
  }
  if (reference.empty()) return {};
  double grain = 0;
  std::map<std::string_view, Bounds> bounds;
  for (const Communicator& c : model.communicators) {
    std::map<std::string_view, Seen> by_host;
    for (const Rank& r : c.ranks) {
      if (r.host.empty()) continue;
      const auto start = TimeAt(model, r.init_start, &grain);
      const auto end = TimeAt(model, r.init_complete, &grain);
      Seen& seen = by_host[r.host];
      if (start) seen.latest_start = std::max(seen.latest_start, *start);
      if (end) seen.earliest_end = std::min(seen.earliest_end, *end);
    }
    const auto a = by_host.find(reference);
    if (a == by_host.end()) continue;
    for (const auto& [host, b] : by_host) {
      if (host == reference) continue;
      const double least = b.latest_start - a->second.earliest_end;
      const double most = b.earliest_end - a->second.latest_start;
      if (!std::isfinite(least) || !std::isfinite(most)) continue;
      Bounds& known = bounds[host];
      known.least = std::max(known.least, least);
      known.most = std::min(known.most, most);
      ++known.communicators;
    }
  }
  std::vector<HostClock> clocks;
  for (const auto& [host, known] : bounds) {
    const double least = known.least - grain, most = known.most + grain;
    if (least > most) continue;
    clocks.push_back({host, reference, (least + most) / 2, (most - least) / 2, known.communicators});
  }
  if (clocks.empty()) return {};
  clocks.insert(clocks.begin(), {reference, reference, 0, 0, 0});
  return clocks;
}

}  // namespace ncclwhy

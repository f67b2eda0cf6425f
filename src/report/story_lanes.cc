#include "report/story_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/phrases.h"

namespace ncclwhy {
namespace {

// Into so many pieces the axis is cut, in which two ranks are alike when all that they did falls into the same ones;
// the finest that leaves few enough kinds. 0: only what they did, and not when.
constexpr double kPieces[] = {50, 20, 8, 3, 0};

bool IsMoment(const TrackPart& part) { return part.kind == "alarm" || part.kind == "ending"; }

class Lanes {
 public:
  Lanes(const Report& report, const Words& words, size_t most) : report_(report), words_(words), most_(most) {
    for (const TimelineStep& step : report.timeline) out_.end = std::max(out_.end, step.at);
    for (const RankTrack& track : report.tracks) {
      for (const TrackPart& part : track.parts) {
        out_.end = std::max(out_.end, part.to);
        out_.begin = std::min(out_.begin, part.from);
      }
    }
    // A job that ran for days, and died within a minute: the minute is what is looked at.
    out_.begin = std::max(out_.begin, -out_.end);
    for (size_t i = 0; i < report.timeline.size(); ++i) {
      const TimelineStep& step = report.timeline[i];
      if (step.rank >= 0) steps_of_[step.rank].push_back(i);
      for (const int32_t rank : step.ranks) {
        if (rank != step.rank) steps_of_[rank].push_back(i);
      }
    }
  }

  StoryLanes Take() {
    std::vector<std::vector<const RankTrack*>> groups;
    for (const double pieces : kPieces) {
      // Between steps lines stand roughly.
      if (report_.axis == TrackAxis::kSteps && pieces > 0) continue;
      groups = Groups(pieces);
      if (groups.size() <= most_) break;
    }
    for (const auto& group : groups) out_.lanes.push_back(LaneOf(group));
    Others();
    // Who is blamed, then what is said of nobody, then the ranks in their order.
    std::stable_sort(out_.lanes.begin(), out_.lanes.end(), [](const StoryLane& a, const StoryLane& b) {
      const auto key = [](const StoryLane& l) {
        return std::pair(l.culprit ? 0 : l.ranks.empty() ? 1 : 2, l.ranks.empty() ? -1 : l.ranks.front());
      };
      return key(a) < key(b);
    });
    if (out_.lanes.size() > most_) {
      out_.left_out = out_.lanes.size() - most_;
      out_.lanes.resize(most_);
    }
    return std::move(out_);
  }

 private:
  std::vector<std::vector<const RankTrack*>> Groups(double pieces) const {
    std::map<std::string, size_t> known;
    std::vector<std::vector<const RankTrack*>> groups;
    for (const RankTrack& track : report_.tracks) {
      const auto [it, fresh] = known.try_emplace(LooksOf(track, pieces), groups.size());
      if (fresh) groups.emplace_back();
      groups[it->second].push_back(&track);
    }
    return groups;
  }

  std::string LooksOf(const RankTrack& track, double pieces) const {
    std::string looks =
        fmt::format("{}{}{}", track.rank < 0 ? 'j' : '-', track.culprit ? 'c' : '-', track.seen ? 's' : '-');
    const double length = out_.end - out_.begin;
    const auto place = [&](double at) {
      return length > 0 ? std::lround((std::max(at, out_.begin) - out_.begin) / length * pieces) : 0;
    };
    for (const TrackPart& part : track.parts) {
      looks += fmt::format(" {}{}-{}", part.kind, place(part.from), place(part.to));
      // In calls a difference of one is what a picture is looked at for.
      if (report_.axis == TrackAxis::kCalls && pieces > 0) looks += "=" + part.what;
    }
    if (const auto steps = steps_of_.find(track.rank); steps != steps_of_.end()) {
      for (const size_t step : steps->second) looks += fmt::format(" #{}", step);
    }
    return looks;
  }

  StoryLane LaneOf(const std::vector<const RankTrack*>& group) const {
    StoryLane lane;
    const RankTrack& first = *group.front();
    lane.culprit = first.culprit;
    lane.seen = first.seen;
    lane.parts = first.parts;
    bool one_host = true;
    for (const RankTrack* track : group) {
      if (track->rank >= 0) lane.ranks.push_back(track->rank);
      one_host = one_host && track->host == first.host;
      // All of the group have the same parts in the same order.
      for (size_t i = 0; i < lane.parts.size() && i < track->parts.size(); ++i) {
        lane.parts[i].from = std::min(lane.parts[i].from, track->parts[i].from);
        lane.parts[i].to = std::max(lane.parts[i].to, track->parts[i].to);
      }
    }
    for (TrackPart& part : lane.parts) {
      if (IsMoment(part)) part.to = part.from;
    }
    lane.label = lane.ranks.empty() ? std::string(words_.job) : RanksNamed(lane.ranks, words_);
    if (one_host && !first.host.empty()) lane.label += " " + first.host;
    if (const auto steps = steps_of_.find(first.rank); steps != steps_of_.end()) lane.steps = steps->second;
    return lane;
  }

  // Steps that no rank's lane has: of hosts, and of the job.
  void Others() {
    for (size_t i = 0; i < report_.timeline.size(); ++i) {
      const auto has = [&](const StoryLane& l) {
        return std::find(l.steps.begin(), l.steps.end(), i) != l.steps.end();
      };
      if (std::any_of(out_.lanes.begin(), out_.lanes.end(), has)) continue;
      const TimelineStep& step = report_.timeline[i];
      Culprit who;
      who.rank = step.rank;
      who.host = step.host;
      std::string label = CulpritName(who, words_);
      if (label.empty()) label = words_.job;
      auto lane =
          std::find_if(out_.lanes.begin(), out_.lanes.end(), [&](const StoryLane& l) { return l.label == label; });
      if (lane == out_.lanes.end()) {
        lane = out_.lanes.insert(out_.lanes.end(), StoryLane());
        lane->label = label;
        lane->culprit = IsCulprit(step);
      }
      lane->steps.push_back(i);
    }
  }

  // Only with a named cause: candidates are not accused.
  bool IsCulprit(const TimelineStep& step) const {
    if (NamedCause(report_) == nullptr) return false;
    const std::vector<Culprit>& culprits = report_.causes.front().culprits;
    return std::any_of(culprits.begin(), culprits.end(), [&](const Culprit& c) {
      return c.rank >= 0 ? c.rank == step.rank : !c.host.empty() && c.host == step.host;
    });
  }

  const Report& report_;
  const Words& words_;
  const size_t most_;
  std::map<int32_t, std::vector<size_t>> steps_of_;  // by rank
  StoryLanes out_;
};

}  // namespace

StoryLanes LanesOf(const Report& report, const Words& words, size_t most) { return Lanes(report, words, most).Take(); }

}  // namespace ncclwhy

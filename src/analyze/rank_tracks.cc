#include "analyze/rank_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "analyze/life_signs.h"
#include "analyze/place_evidence.h"
#include "base/limits.h"
#include "base/rank_list.h"
#include "base/utf8.h"
#include "job/roll_call.h"

namespace ncclwhy {
namespace {

constexpr size_t kMoments = 6;  // of one rank; what it goes on to complain of is drawn nowhere
constexpr size_t kWordsColumns = 100;
// In a job of more files a line without a stamp stays without a time: looking through each file for one that lends it
// would cost more than the picture is worth.
constexpr size_t kLendingSources = 64;
// Beyond that moments are told by their lines alone.
constexpr size_t kNotes = 512;

class Tracks {
 public:
  Tracks(const CaseFile& c, const std::vector<LifeSign>& signs, const StoryClock& clock, LineTimes* times,
         Report* report)
      : c_(c), signs_(signs), clock_(clock), times_(*times), report_(*report) {
    for (uint32_t i = 0; i < c.model.sources.size(); ++i) sources_.emplace(c.model.sources[i]->name, SourceId{i});
  }

  void Tell() {
    Everybody();
    ChooseAxis();
    for (size_t i = 0; i < report_.timeline.size(); ++i) {
      TimelineStep& step = report_.timeline[i];
      const auto source = sources_.find(step.file);
      if (report_.axis == TrackAxis::kSeconds) {
        step.at = step.seconds;
      } else if (report_.axis == TrackAxis::kSteps) {
        step.at = static_cast<double>(i);
      } else if (source != sources_.end()) {
        step.at = CallsAt(source->second, step.line, step.rank).value_or(-1);
      }
    }
    if (tracks_.size() < 2) return;
    if (report_.axis == TrackAxis::kCalls) Calls();
    if (report_.axis == TrackAxis::kSeconds) Times();
    Moments();
    if (!job_.parts.empty()) report_.tracks.push_back(std::move(job_));
    for (auto& [rank, track] : tracks_) report_.tracks.push_back(std::move(track));
  }

 private:
  // Of the largest communicator all ranks, seen or not. A launcher's number of a task is taken for the rank where no
  // line of NCCL says otherwise.
  void Everybody() {
    const JobModel& model = c_.model;
    if (model.largest.valid()) {
      for (const Rank& r : model.communicators[model.largest.value].ranks) {
        RankTrack* track = Track(r.rank, r.host);
        if (track != nullptr) track->seen = r.seen;
      }
    }
    for (const Process& p : model.processes) {
      if (p.rank >= 0) Track(p.rank, p.host);
    }
    if (!model.largest.valid()) {
      const RollCall roll(model);
      for (const int32_t rank : roll.Ranks()) Track(rank, roll.HostOf(rank));
      for (const EvidenceItem& item : c_.items) {
        if (item.sign < 0 || item.survived) continue;
        for (const int32_t rank : Named(item)) Track(rank, item.finding.Field("culprit_host"));
      }
    }
    if (report_.verdict != Verdict::kFailure || report_.causes.empty()) return;
    for (const Culprit& culprit : report_.causes.front().culprits) {
      if (culprit.rank >= 0) Track(culprit.rank, culprit.host);
      for (auto& [rank, track] : tracks_) {
        // A culprit without a rank is a host, with all that run there.
        const bool blamed =
            culprit.rank >= 0 ? culprit.rank == rank : !culprit.host.empty() && culprit.host == track.host;
        track.culprit = track.culprit || blamed;
      }
    }
  }

  RankTrack* Track(int32_t rank, std::string_view host) {
    if (rank < 0 || (tracks_.size() >= limits::kReportRanks && !tracks_.contains(rank))) return nullptr;
    RankTrack& track = tracks_[rank];
    track.rank = rank;
    if (track.host.empty()) track.host = std::string(host);
    return &track;
  }

  void ChooseAxis() {
    report_.axis = TrackAxis::kSteps;
    if (clock_.runs()) {
      report_.axis = TrackAxis::kSeconds;
    } else if (c_.model.largest.valid()) {
      for (const Rank& r : c_.model.communicators[c_.model.largest.value].ranks) {
        if (r.collectives > 1) report_.axis = TrackAxis::kCalls;
        if (r.stream != nullptr) streams_[r.rank] = r.stream;
      }
    }
  }

  // How many collectives a rank had issued when a line of its own was written. Who speaks of others does so behind all.
  std::optional<double> CallsAt(SourceId source, uint64_t line, int32_t rank) const {
    if (streams_.empty()) return std::nullopt;
    const Event* event = EventAt(c_.model, source, line);
    const ProcessId process = event != nullptr ? c_.model.ProcessOf(source, event->process, event->launcher_rank)
                                               : c_.model.ProcessOf(source, kNoProcess, -1);
    const int32_t whose = c_.model.RankOf(process) >= 0 ? c_.model.RankOf(process) : rank;
    const auto found = streams_.find(whose);
    const bool own = found != streams_.end() && process.valid() && IsOf(process, source);
    if (!own) {
      uint64_t most = 0;
      for (const auto& [each, stream] : streams_) most = std::max(most, stream->calls);
      return static_cast<double>(most);
    }
    const CollectiveStream& stream = *found->second;
    // Lines of the latest calls are kept; in front of them it is told by where the line stands between the first and
    // these.
    uint64_t behind = 0;
    uint32_t oldest = stream.last.line;
    for (const CollectiveCall& call : stream.window) {
      if (call.line == 0) continue;
      behind += call.line > line ? 1 : 0;
      oldest = std::min(oldest, call.line);
    }
    if (line >= oldest) return static_cast<double>(stream.calls - std::min(stream.calls, behind));
    if (line <= stream.first.line || oldest <= stream.first.line) return 0;
    const double before = static_cast<double>(stream.calls) - static_cast<double>(stream.window.size());
    return std::max(0.0, before) * static_cast<double>(line - stream.first.line) / (oldest - stream.first.line);
  }

  bool IsOf(ProcessId process, SourceId source) const {
    const auto& parts = c_.model.processes[process.value].parts;
    return std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return part.first == source; });
  }

  void Calls() {
    for (const Rank& r : c_.model.communicators[c_.model.largest.value].ranks) {
      const auto track = tracks_.find(r.rank);
      if (track == tracks_.end() || r.collectives < 0) continue;
      const auto issued = static_cast<double>(r.collectives);
      const double done = r.completed >= 0 ? std::min(issued, static_cast<double>(r.completed)) : issued;
      track->second.parts.push_back({"work", 0, done, std::to_string(r.collectives)});
      // Issued and not known to have ended.
      if (done < issued) track->second.parts.push_back({"wait", done, issued, std::to_string(r.collectives)});
    }
  }

  void Times() {
    const bool lend = c_.model.sources.size() <= kLendingSources;
    const auto at = [&](const Place& place) {
      const LineTimes::Stamp stamp =
          lend ? times_.Of(place.source, place.line, place.text) : times_.Own(place.source, place.line, place.text);
      return clock_.SecondsOf(place.source, stamp.line, stamp.time);
    };
    for (const Process& p : c_.model.processes) {
      const auto track = tracks_.find(p.rank);
      if (p.rank >= 0 && track == tracks_.end()) continue;
      std::vector<TrackPart>& parts = p.rank < 0 ? job_.parts : track->second.parts;
      if (p.rank >= 0 && p.first.source.valid() && p.last.source.valid()) {
        const auto first = at(p.first), last = at(p.last);
        if (first && last && *last > *first) parts.push_back({"log", *first, *last, {}});
      }
      for (const auto& [source, index] : p.parts) {
        const SourceFacts& facts = *c_.model.sources[source.value];
        // Both are in the order of the processes.
        for (const PulseFacts& pulse : OfProcess(facts.pulses, index)) Work(source, facts, pulse, &parts);
        for (const WaitFacts& wait : OfProcess(facts.waits, index)) {
          const auto end = wait.last_time.valid() ? clock_.SecondsOf(source, wait.last_line, facts.Str(wait.last_time))
                                                  : std::nullopt;
          if (end) parts.push_back({"wait", *end - wait.seconds, *end, fmt::format("{:.4g} s", wait.seconds)});
        }
      }
    }
  }

  template <typename Facts>
  static std::span<const Facts> OfProcess(const std::vector<Facts>& facts, uint32_t process) {
    const auto [begin, end] = std::equal_range(facts.begin(), facts.end(), process, ByProcess<Facts>());
    return {begin, end};
  }
  template <typename Facts>
  struct ByProcess {
    static uint64_t Key(const Facts& f) { return f.process == kNoProcess ? 0 : uint64_t{f.process} + 1; }
    bool operator()(const Facts& f, uint32_t process) const { return Key(f) < uint64_t{process} + 1; }
    bool operator()(uint32_t process, const Facts& f) const { return uint64_t{process} + 1 < Key(f); }
  };

  void Work(SourceId source, const SourceFacts& facts, const PulseFacts& pulse, std::vector<TrackPart>* parts) const {
    if (!pulse.first_time.valid() || !pulse.last_time.valid()) return;
    const auto from = clock_.SecondsOf(source, pulse.beats.first, facts.Str(pulse.first_time));
    const auto to = clock_.SecondsOf(source, pulse.last.line, facts.Str(pulse.last_time));
    if (!from || !to || *to < *from) return;
    std::string what(facts.Str(pulse.name));
    what += fmt::format("{}{:.10g}", what.empty() ? "" : " ", pulse.last_value);
    if (pulse.total > 0) what += fmt::format("/{:.10g}", pulse.total);
    parts->push_back({"work", *from, *to, std::move(what)});
  }

  // The ranks that a line of a launcher or of a program names: "tasks 0-2: Exited with exit code 1".
  std::vector<int32_t> Named(const EvidenceItem& item) const {
    const Finding& f = item.finding;
    const std::string_view told = f.Field("culprit_rank").empty() ? f.Field("rank") : f.Field("culprit_rank");
    std::vector<int32_t> ranks = ParseRankList(told, limits::kReportRanks);
    if (item.rule == nullptr || item.rule->sign.of != SignOf::kNamed) return ranks;
    for (int32_t& rank : ranks) {
      std::string_view host;
      rank = c_.model.RankOfLabel(f.source, rank, &host);
    }
    return ranks;
  }

  // Of complaints and ends, each with whom it speaks of. What follows from something else is an alarm as well: here it
  // is asked when, not why.
  void Moments() {
    std::map<int32_t, std::vector<std::string_view>> told;  // rules, by rank: each once
    std::vector<std::pair<std::vector<int32_t>, double>> waiting;
    size_t notes = 0;
    const std::set<std::string_view> harmless = Harmless();
    for (const EvidenceItem& item : c_.items) {
      const Finding& f = item.finding;
      if (!f.source.valid() || f.line == 0 || item.survived || item.info) continue;
      const LifeSign* sign = item.sign >= 0 ? &signs_[static_cast<size_t>(item.sign)] : nullptr;
      const bool ends = sign != nullptr && sign->bad();
      if (harmless.contains(item.name) || (f.in_passing && !ends)) continue;
      const bool complains = f.role == Role::kRoot || f.role == Role::kSymptom || f.role == Role::kSecondary;
      if (!ends && !complains) continue;
      std::vector<int32_t> ranks;
      if (sign != nullptr && sign->of == SignOf::kNamed) {
        ranks = Named(item);
      } else if (const int32_t own = f.process.valid() ? c_.model.processes[f.process.value].rank : f.rank; own >= 0) {
        ranks = {own};
      } else if (f.rank >= 0) {
        ranks = {f.rank};
      }
      if (ranks.empty()) continue;
      const auto at = Where(f);
      if (!at) continue;
      if (sign != nullptr && sign->life == Life::kWaiting) waiting.emplace_back(ranks, *at);
      TrackPart part{ends ? "ending" : "alarm",
                     *at,
                     *at,
                     Words(item, sign, &notes),
                     c_.model.sources[f.source.value]->name,
                     f.line};
      for (const int32_t rank : ranks) {
        const auto track = tracks_.find(rank);
        std::vector<std::string_view>& names = told[rank];
        const bool again = std::find(names.begin(), names.end(), item.name) != names.end();
        if (track == tracks_.end() || again || names.size() >= kMoments) continue;
        names.push_back(item.name);
        track->second.parts.push_back(part);
      }
    }
    Waiting(waiting);
  }

  // The rules of what the report lists as harmless.
  std::set<std::string_view> Harmless() const {
    std::set<std::string_view> rules;
    std::set<std::pair<std::string_view, uint64_t>> places;
    for (const HarmlessLine& line : report_.harmless) places.emplace(line.file, line.line);
    for (const EvidenceItem& item : c_.items) {
      const Finding& f = item.finding;
      if (!f.source.valid() || f.role == Role::kRoot) continue;
      if (places.contains({c_.model.sources[f.source.value]->name, f.line})) rules.insert(item.name);
    }
    return rules;
  }

  // Who says that he waits has done so since he worked last, or since anybody did where nothing is known of his own
  // work.
  void Waiting(const std::vector<std::pair<std::vector<int32_t>, double>>& waiting) {
    if (report_.axis != TrackAxis::kSeconds) return;
    const auto last_work = [](const RankTrack& track, double before) {
      double last = -HUGE_VAL;
      for (const TrackPart& part : track.parts) {
        if (part.kind == "work" && part.to < before) last = std::max(last, part.to);
      }
      return last;
    };
    for (const auto& [ranks, at] : waiting) {
      double anybody = -HUGE_VAL;
      for (const auto& [rank, track] : tracks_) anybody = std::max(anybody, last_work(track, at));
      for (const TimelineStep& step : report_.timeline) {
        if (step.kind == "progress" && step.at >= 0 && step.at < at) anybody = std::max(anybody, step.at);
      }
      for (const int32_t rank : ranks) {
        const auto track = tracks_.find(rank);
        if (track == tracks_.end()) continue;
        const double own = last_work(track->second, at);
        const double from = std::isinf(own) ? anybody : own;
        std::vector<TrackPart>& parts = track->second.parts;
        const bool told = std::any_of(parts.begin(), parts.end(), [](const TrackPart& p) { return p.kind == "wait"; });
        if (!told && !std::isinf(from)) parts.push_back({"wait", from, at, {}});
      }
    }
  }

  std::string Words(const EvidenceItem& item, const LifeSign* sign, size_t* notes) const {
    std::string text = sign != nullptr ? sign->note : std::string();
    if (text.empty() && (*notes)++ < kNotes) text = NoteOfSign(item);
    return std::string(PrefixOfWidth(text.empty() ? item.finding.text : text, kWordsColumns));
  }

  std::optional<double> Where(const Finding& f) {
    if (report_.axis == TrackAxis::kCalls) return CallsAt(f.source, f.line, f.rank);
    if (report_.axis == TrackAxis::kSeconds) {
      const bool lend = c_.model.sources.size() <= kLendingSources;
      const LineTimes::Stamp stamp = lend ? times_.Of(f.source, f.line, f.text) : times_.Own(f.source, f.line, f.text);
      const auto at = clock_.SecondsOf(f.source, stamp.line, stamp.time);
      return at;
    }
    // Behind the last step of its source that stands in front of it.
    std::optional<double> at;
    for (size_t i = 0; i < report_.timeline.size(); ++i) {
      const TimelineStep& step = report_.timeline[i];
      if (step.file == c_.model.sources[f.source.value]->name && step.line <= f.line) at = static_cast<double>(i);
    }
    return at;
  }

  const CaseFile& c_;
  const std::vector<LifeSign>& signs_;
  const StoryClock& clock_;
  LineTimes& times_;
  Report& report_;
  std::map<std::string_view, SourceId> sources_;
  std::map<int32_t, RankTrack> tracks_;
  RankTrack job_;                                       // work of which nobody tells whose it is
  std::map<int32_t, const CollectiveStream*> streams_;  // where calls are the axis
};

}  // namespace

void TellTracks(const CaseFile& c, const std::vector<LifeSign>& signs, const StoryClock& clock, LineTimes* times,
                Report* report) {
  Tracks(c, signs, clock, times, report).Tell();
}

}  // namespace ncclwhy

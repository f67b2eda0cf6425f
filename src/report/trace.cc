// The trace format of Chrome, which ui.perfetto.dev opens: a process for each host, a thread (lane) for each rank, and
// one lane for the job, on which the steps of the story stand that are nobody's.
//
//   {"ph":"X","name":"running","pid":2,"tid":4,"ts":0,"dur":5000000,"args":{"rank":3,"last_line":"rank3.log:41",…}}
//   {"ph":"i","name":"/dev/shm is full","pid":2,"tid":4,"ts":2000000,"s":"t","args":{"file":"rank3.log","line":41}}
//
// Times are those of the story: since its first step with a clock, or what a rank did before that, in microseconds;
// without clocks a second for a step.
// Where the clock of a host stands apart its steps are moved, and the label of its process says by how much:
//
//   {"ph":"M","name":"process_labels","pid":2,"args":{"labels":"b's clock is 37.2 s behind a's (±0.4 s, from …"}}
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "analyze/answer_names.h"
#include "base/escape.h"
#include "base/utf8.h"
#include "report/clock_words.h"
#include "report/json_parts.h"
#include "report/phrases.h"
#include "report/renderer.h"

namespace ncclwhy {
namespace {

using Json = OrderedJsonValue;

constexpr double kMicroseconds = 1e6;
constexpr int64_t kJobProcess = 1;
constexpr int64_t kJobLane = 1;

class Trace {
 public:
  Trace(const Report& report, const Words& words) : report_(report), words_(words) {}

  std::string Render() {
    for (const RankTrack& track : report_.tracks) {
      for (const TrackPart& part : track.parts) {
        if (report_.axis == TrackAxis::kSeconds) origin_ = std::min(origin_, part.from);
      }
    }
    const std::vector<double> times = StepTimes();
    // A second at least: a span without length is not drawn.
    double end = std::max(times.empty() ? 0 : *std::max_element(times.begin(), times.end()), kMicroseconds);
    if (report_.axis == TrackAxis::kSeconds) {
      for (const RankTrack& track : report_.tracks) {
        for (const TrackPart& part : track.parts) end = std::max(end, (part.to - origin_) * kMicroseconds);
      }
    }
    Name("process_name", kJobProcess, 0, Headline(report_, words_));
    Name("thread_name", kJobProcess, kJobLane, VerdictName(report_.verdict));
    Span(Headline(report_, words_), {kJobProcess, kJobLane}, end,
         Object("outcome", OutcomeName(report_.outcome), "progress", report_.progress));
    Lanes(end);
    Clocks();
    for (size_t i = 0; i < report_.timeline.size(); ++i) Step(report_.timeline[i], times[i]);
    Json out = Object("traceEvents", Json::array(), "displayTimeUnit", "ms");
    out["traceEvents"] = std::move(events_);
    return EscapeJsonHidden(out.dump(-1, ' ', false, Json::error_handler_t::replace)) + "\n";
  }

 private:
  struct Lane {
    int64_t process = kJobProcess;
    int64_t thread = kJobLane;
  };

  // A step without a clock among others that have one stands where the one before it does.
  std::vector<double> StepTimes() const {
    const auto has_clock = [](const TimelineStep& s) { return s.seconds >= 0; };
    const bool clocks = std::any_of(report_.timeline.begin(), report_.timeline.end(), has_clock);
    std::vector<double> out;
    double last = 0;
    for (size_t i = 0; i < report_.timeline.size(); ++i) {
      const TimelineStep& step = report_.timeline[i];
      if (!clocks) last = static_cast<double>(i) * kMicroseconds;
      if (clocks && step.seconds >= 0) last = (step.seconds - origin_) * kMicroseconds;
      out.push_back(last);
    }
    return out;
  }

  void Name(const char* what, int64_t process, int64_t thread, std::string_view name) {
    events_.push_back(Object("ph", "M", "name", what, "pid", process, "tid", thread, "args", Object("name", name)));
  }

  void Span(std::string_view name, const Lane& lane, double end, const Json& args) {
    events_.push_back(
        Object("ph", "X", "name", name, "pid", lane.process, "tid", lane.thread, "ts", 0, "dur", end, "args", args));
  }

  // Of the ranks of the largest communicator, and of those that the tracks know and it does not.
  void Lanes(double end) {
    if (!report_.job.communicators.empty()) {
      for (const ReportRank& rank : report_.job.communicators.front().ranks) {
        const Lane lane = NewLane(rank.rank, rank.host, rank.culprit);
        Span(rank.seen ? std::string_view(rank.stage) : words_.unseen, lane, end,
             Object("rank", rank.rank, "pid", rank.pid, "gpu", rank.gpu, "collectives", rank.collectives, "culprit",
                    rank.culprit, "last_line", FileLine(rank.file, rank.last_line), "last_text", rank.last_text));
      }
    }
    for (const RankTrack& track : report_.tracks) {
      if (track.rank < 0) {
        if (report_.axis == TrackAxis::kSeconds) Parts(track, Lane());
        continue;
      }
      if (!lanes_.contains(track.rank)) {
        // A lane without any event is not drawn.
        Span(track.seen ? words_.lane_log : words_.unseen, NewLane(track.rank, track.host, track.culprit), end,
             Object("rank", track.rank, "culprit", track.culprit));
      }
      if (report_.axis == TrackAxis::kSeconds) Parts(track, lanes_.at(track.rank));
    }
  }

  Lane NewLane(int32_t rank, std::string_view host, bool culprit) {
    const auto [process, fresh] = hosts_.try_emplace(host, kJobProcess + 1 + static_cast<int64_t>(hosts_.size()));
    if (fresh) Name("process_name", process->second, 0, host.empty() ? words_.unseen : host);
    // Thread 0 is the process itself in what names it, so ranks begin at 1.
    const Lane lane{process->second, rank + 1};
    lanes_[rank] = lane;
    const std::string name = Filled(words_.rank, std::to_string(rank));
    Name("thread_name", lane.process, lane.thread, culprit ? name + " \xE2\x9C\x97" : name);  // ✗
    return lane;
  }

  // What a rank did while the story went on: {"ph":"X","name":"works: step 15","ts":0,"dur":1100000,…}
  void Parts(const RankTrack& track, const Lane& lane) {
    for (const TrackPart& part : track.parts) {
      const bool moment = part.kind == "alarm" || part.kind == "ending";
      if (part.kind == "log" || (moment && IsStep(part, track.rank))) continue;
      const double from = (part.from - origin_) * kMicroseconds;
      Json event = Object("ph", moment ? "i" : "X", "name", "", "cat", part.kind, "pid", lane.process, "tid",
                          lane.thread, "ts", from);
      event["name"] = moment
                          ? part.what
                          : Filled(words_.label, part.kind == "work" ? words_.lane_work : words_.lane_wait) + part.what;
      if (moment) {
        event["s"] = "t";
        event["args"] = Object("file", part.file, "line", part.line);
      } else {
        event["dur"] = (part.to - part.from) * kMicroseconds;
      }
      events_.push_back(std::move(event));
    }
  }

  // Whether the story's own step stands in the lane already.
  bool IsStep(const TrackPart& part, int32_t rank) const {
    return std::any_of(report_.timeline.begin(), report_.timeline.end(), [&](const TimelineStep& s) {
      return s.rank == rank && s.file == part.file && s.line == part.line;
    });
  }

  // Several of one process are one label: a process has one list of them.
  void Clocks() {
    std::map<int64_t, std::string> labels;
    for (const HostOffset& clock : report_.clocks) {
      const auto host = hosts_.find(clock.host);
      if (host == hosts_.end() && clock.steps == 0) continue;  // nothing of it is drawn
      std::string& label = labels[host == hosts_.end() ? kJobProcess : host->second];
      label += (label.empty() ? "" : std::string(words_.clause_stop)) + ClockSentence(clock, words_);
    }
    for (const auto& [process, label] : labels) {
      events_.push_back(
          Object("ph", "M", "name", "process_labels", "pid", process, "tid", 0, "args", Object("labels", label)));
    }
  }

  void Step(const TimelineStep& step, double time) {
    const auto own = lanes_.find(step.rank);
    const Lane lane = own == lanes_.end() ? Lane() : own->second;
    const Json args = Object("kind", step.kind, "time", step.time, "file", step.file, "line", step.line, "text",
                             step.text, "count", step.count, "moved?", MovedBy(step, words_));
    // "s" is how far a viewer draws it: "g" over all lanes, "t" over that of the rank.
    events_.push_back(Object("ph", "i", "name", step.what, "cat", step.kind, "pid", lane.process, "tid", lane.thread,
                             "ts", time, "s", lane.process == kJobProcess ? "g" : "t", "args", args));
  }

  const Report& report_;
  const Words& words_;
  double origin_ = 0;  // seconds of the story at which the trace begins
  std::map<int32_t, Lane> lanes_;
  std::map<std::string_view, int64_t> hosts_;  // their processes
  Json events_ = Json::array();
};

}  // namespace

std::string RenderTrace(const Report& report, const RenderOptions& options) {
  return Trace(report, WordsOf(options.language)).Render();
}

}  // namespace ncclwhy

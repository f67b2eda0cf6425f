// The trace format of Chrome, which ui.perfetto.dev opens: a process for each host, a thread (lane) for each rank, and
// one lane for the job, on which the steps of the story stand that are nobody's.
//
//   {"ph":"X","name":"running","pid":2,"tid":4,"ts":0,"dur":5000000,"args":{"rank":3,"last_line":"rank3.log:41",…}}
//   {"ph":"i","name":"/dev/shm is full","pid":2,"tid":4,"ts":2000000,"s":"t","args":{"file":"rank3.log","line":41}}
//
// Times are those of the story: since its first step with a clock, in microseconds; without clocks a second for a step.
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
    const std::vector<double> times = StepTimes();
    // A second at least: a span without length is not drawn.
    const double end = std::max(times.empty() ? 0 : *std::max_element(times.begin(), times.end()), kMicroseconds);
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
      if (clocks && step.seconds >= 0) last = step.seconds * kMicroseconds;
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

  void Lanes(double end) {
    if (report_.job.communicators.empty()) return;
    for (const ReportRank& rank : report_.job.communicators.front().ranks) {
      const auto [host, fresh] = hosts_.try_emplace(rank.host, kJobProcess + 1 + static_cast<int64_t>(hosts_.size()));
      if (fresh) Name("process_name", host->second, 0, rank.host.empty() ? words_.unseen : std::string_view(rank.host));
      // Thread 0 is the process itself in what names it, so ranks begin at 1.
      const Lane lane{host->second, rank.rank + 1};
      lanes_[rank.rank] = lane;
      const std::string name = Filled(words_.rank, std::to_string(rank.rank));
      Name("thread_name", lane.process, lane.thread, rank.culprit ? name + " \xE2\x9C\x97" : name);  // ✗
      Span(rank.seen ? std::string_view(rank.stage) : words_.unseen, lane, end,
           Object("rank", rank.rank, "pid", rank.pid, "gpu", rank.gpu, "collectives", rank.collectives, "culprit",
                  rank.culprit, "last_line", FileLine(rank.file, rank.last_line), "last_text", rank.last_text));
    }
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
  std::map<int32_t, Lane> lanes_;
  std::map<std::string_view, int64_t> hosts_;  // their processes
  Json events_ = Json::array();
};

}  // namespace

std::string RenderTrace(const Report& report, const RenderOptions& options) {
  return Trace(report, WordsOf(options.language)).Render();
}

}  // namespace ncclwhy

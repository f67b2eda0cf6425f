#include "analyze/job_story.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "analyze/life_signs.h"
#include "analyze/place_evidence.h"
#include "analyze/story_clocks.h"
#include "base/limits.h"
#include "parser/clock.h"
#include "parser/timestamp.h"

namespace ncclwhy {
namespace {

constexpr size_t kStampColumns = 48;  // of a line, in which its stamp begins and ends
constexpr size_t kConsequences = 3;
constexpr size_t kEndings = 2;
constexpr std::string_view kOnlyEnds = "secondary.abort";  // kb/causes

// A step is one line of a log. The order of the calls in Tell() decides which step a line becomes that could be
// several, since each line is told once.
class Story {
 public:
  Story(const CaseFile& c, const OutcomeReading& o, Report* report)
      : c_(c), o_(o), report_(report), zh_(c.language == Language::kChinese) {
    for (uint32_t i = 0; i < c.model.sources.size(); ++i) sources_.emplace(c.model.sources[i]->name, SourceId{i});
  }

  void Tell() {
    Start();
    for (const Place& place : o_.restarts) Add("restart", place, zh_ ? "重新启动" : "started again");
    if (o_.pulse != nullptr && !report_->progress.empty()) {
      const LineRef& last = o_.pulse->last;
      const SourceFacts& facts = *c_.model.sources[o_.pulse_source.value];
      Add("progress", {o_.pulse_source, last.line, last.offset, facts.Str(last.text)}, report_->progress);
    }
    if (report_->verdict == Verdict::kFailure) Broke();
    size_t shown = 0;
    for (const Consequence& item : report_->consequences) {
      if (shown == kConsequences) break;
      if (item.file == root_.first && item.line < root_.second) continue;  // what follows stands behind
      if (IsInformation(item.file, item.line) || IsRoutine(item.file, item.line)) continue;
      if (Add(report_->verdict == Verdict::kFailure ? "consequence" : "alarm", item.file, item.line, item.text,
              EndTold(item.file, item.line).value_or(item.text))) {
        steps_.back().count = item.count;
        steps_.back().ranks = item.ranks;
        ++shown;
      }
    }
    Endings();
    // One step tells no story.
    if (steps_.size() < 2) steps_.clear();
    report_->clocks = PutOnOneClock(c_.model, &steps_);
    if (report_->clocks.size() > limits::kReportClocks) {
      report_->job.unlisted += static_cast<int64_t>(report_->clocks.size() - limits::kReportClocks);
      report_->clocks.resize(limits::kReportClocks);
    }
    Order();
    report_->timeline = std::move(steps_);
  }

 private:
  // Of the processes with a line of their own the one that comes first in the order of the sources, which need not be
  // the first in time: clocks are compared later.
  void Start() {
    const Process* first = nullptr;
    uint64_t processes = 0;
    for (const Process& p : c_.model.processes) {
      if (p.pid < 0 || p.first.line == 0) continue;
      ++processes;
      if (first == nullptr || p.first.source < first->first.source ||
          (p.first.source == first->first.source && p.first.line < first->first.line)) {
        first = &p;
      }
    }
    if (first == nullptr) return;
    if (Add("start", first->first, zh_ ? "NCCL 启动" : "NCCL starts")) steps_.back().count = processes;
  }

  // The first line that shows the cause, and who broke.
  void Broke() {
    const Cause& cause = report_->causes.front();
    for (const Evidence& e : cause.evidence) {
      if (e.line == 0 || e.role == "contradicting") continue;
      if (!Add("root", e.file, e.line, e.text, e.note.empty() ? cause.title : e.note)) continue;
      root_ = {e.file, e.line};
      if (!cause.culprits.empty()) {
        steps_.back().rank = cause.culprits.front().rank;
        steps_.back().host = cause.culprits.front().host;
      }
      return;
    }
  }

  void Endings() {
    size_t shown = 0;
    for (size_t i = 0; i < o_.evidence.size() && i < report_->outcome_evidence.size(); ++i) {
      if (o_.evidence[i].shows == Shows::kLastBeat || shown == kEndings) continue;
      const OutcomeEvidence& e = report_->outcome_evidence[i];
      if (e.file == root_.first && e.line < root_.second) continue;  // it began to end before its reason is told
      if (Add("ending", e.file, e.line, e.text, e.note.empty() ? e.text : e.note)) ++shown;
    }
  }

  bool Add(const char* kind, const Place& place, const std::string& what) {
    return Add(kind, c_.model.sources[place.source.value]->name, place.line, std::string(place.text), what);
  }

  // A line is told once.
  bool Add(const char* kind, const std::string& file, uint64_t line, const std::string& text, const std::string& what) {
    if (line == 0 || !told_.emplace(file, line).second) return false;
    if (std::string_view(kind) != "root" && IsOfStack(file, line, text)) return false;
    TimelineStep step;
    step.kind = kind;
    step.time = TimeOf(file, line, text);
    step.what = what;
    step.file = file;
    step.line = line;
    step.text = text;
    steps_.push_back(std::move(step));
    return true;
  }

  // NCCL INFO: said in passing.
  // A consequence that NCCL tells as INFO is an abort seen from a healthy rank, or a repetition.
  bool IsInformation(const std::string& file, uint64_t line) const {
    const auto it = sources_.find(file);
    const Event* event = it == sources_.end() ? nullptr : EventAt(c_.model, it->second, line);
    return event != nullptr && event->level == LogLevel::kInfo;
  }

  // Who ended and how, of a launcher's line that says it in its last words.
  //   mpirun noticed that process rank 1 with PID 0 on node node3 exited on signal 6 (Aborted).
  std::optional<std::string> EndTold(const std::string& file, uint64_t line) const {
    const auto it = sources_.find(file);
    if (it == sources_.end()) return std::nullopt;
    for (const EvidenceItem& i : c_.items) {
      const bool here = i.finding.source == it->second && i.finding.line == line && i.sign >= 0;
      if (!here || i.rule->sign.of != SignOf::kNamed || i.note.find('{') == std::string::npos) continue;
      if (std::string note = NoteOfSign(i); !note.empty()) return note;
    }
    return std::nullopt;
  }

  // What launchers and libraries print of every end, whatever it is an end of.
  //   Sending process 77121 closing signal SIGTERM      Some NCCL operations have failed or timed out. Due to …
  bool IsRoutine(const std::string& file, uint64_t line) const {
    const auto it = sources_.find(file);
    if (it == sources_.end()) return false;
    bool routine = false;
    for (const EvidenceItem& i : c_.items) {
      if (i.finding.source != it->second || i.finding.line != line || i.finding.causes.empty()) continue;
      if (i.finding.role == Role::kRoot) return false;
      routine = routine || (i.finding.role == Role::kSecondary && i.finding.causes.front().cause == kOnlyEnds);
    }
    return routine;
  }

  // A stack shows where somebody stands; nothing happened there.
  bool IsOfStack(const std::string& file, uint64_t line, std::string_view text) const {
    if (text.size() > 1 && text[0] == '#' && text[1] >= '0' && text[1] <= '9') return true;  // #3  in all_reduce ()
    const auto it = sources_.find(file);
    return it != sources_.end() && EventAt(c_.model, it->second, line, EventKind::kStack) != nullptr;
  }

  // As the log writes it; empty where the line has none.
  std::string TimeOf(const std::string& file, uint64_t line, std::string_view text) const {
    if (const auto it = sources_.find(file); it != sources_.end()) {
      const SourceFacts& facts = *c_.model.sources[it->second.value];
      const auto at = std::lower_bound(facts.events.begin(), facts.events.end(), line,
                                       [](const Event& e, uint64_t wanted) { return e.line < wanted; });
      if (at != facts.events.end() && at->line == line && at->time.valid()) return std::string(facts.Str(at->time));
      for (const EvidenceItem& item : c_.items) {
        const Finding& f = item.finding;
        if (f.source == it->second && f.line == line && !f.time.empty()) return f.time;
      }
    }
    const size_t in_front = TimestampLength(text, nullptr);
    // Farther behind it may be how long something took: the column Elapsed of sacct.
    return std::string(in_front > 0 ? text.substr(0, in_front) : StampIn(text.substr(0, kStampColumns)));
  }

  // Within one file the lines are in order; over several only where all steps could be put on one clock. Else they stay
  // as they were told, which is the order of reasons: start, progress, cause, what followed, end.
  void Order() {
    const auto same_file = [&](const TimelineStep& s) { return s.file == steps_.front().file; };
    const auto has_clock = [](const TimelineStep& s) { return s.seconds >= 0; };
    if (std::all_of(steps_.begin(), steps_.end(), same_file)) {
      std::stable_sort(steps_.begin(), steps_.end(),
                       [](const TimelineStep& a, const TimelineStep& b) { return a.line < b.line; });
    } else if (std::all_of(steps_.begin(), steps_.end(), has_clock)) {
      std::stable_sort(steps_.begin(), steps_.end(),
                       [](const TimelineStep& a, const TimelineStep& b) { return a.seconds < b.seconds; });
    }
  }

  const CaseFile& c_;
  const OutcomeReading& o_;
  Report* report_;
  const bool zh_;
  std::map<std::string, SourceId> sources_;
  std::set<std::pair<std::string, uint64_t>> told_;
  std::pair<std::string, uint64_t> root_;  // where the cause is told
  std::vector<TimelineStep> steps_;
};

}  // namespace

void TellStory(const CaseFile& c, const OutcomeReading& outcome, Report* report) { Story(c, outcome, report).Tell(); }

}  // namespace ncclwhy

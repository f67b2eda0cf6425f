#include "analyze/job_story.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "analyze/life_signs.h"
#include "analyze/line_times.h"
#include "analyze/place_evidence.h"
#include "analyze/rank_tracks.h"
#include "analyze/story_clocks.h"
#include "base/limits.h"

namespace ncclwhy {
namespace {

constexpr size_t kConsequences = 3;
constexpr size_t kEndings = 2;
constexpr std::string_view kOnlyEnds = "secondary.abort";  // kb/causes

// A step is one line of a log. The order of the calls in Tell() decides which step a line becomes that could be
// several, since each line is told once.
class Story {
 public:
  Story(const CaseFile& c, const std::vector<LifeSign>& signs, const OutcomeReading& o, Report* report)
      : c_(c),
        signs_(signs),
        o_(o),
        report_(report),
        times_(c),
        clock_(c.model),
        zh_(c.language == Language::kChinese) {
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
    JoinAlike();
    // One step tells no story.
    if (steps_.size() < 2) steps_.clear();
    report_->clocks = clock_.Put(stamped_, &steps_);
    if (report_->clocks.size() > limits::kReportClocks) {
      report_->job.unlisted += static_cast<int64_t>(report_->clocks.size() - limits::kReportClocks);
      report_->clocks.resize(limits::kReportClocks);
    }
    Order();
    report_->timeline = std::move(steps_);
    Span();
    TellTracks(c_, signs_, clock_, &times_, report_);
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
    std::vector<const Rule*> told;
    for (size_t i = 0; i < o_.evidence.size() && i < report_->outcome_evidence.size(); ++i) {
      if (o_.evidence[i].shows == Shows::kLastBeat || shown == kEndings) continue;
      const OutcomeEvidence& e = report_->outcome_evidence[i];
      if (e.file == root_.first && e.line < root_.second) continue;  // it began to end before its reason is told
      const EvidenceItem* said = SignAt(e.file, e.line);
      if (said != nullptr && std::find(told.begin(), told.end(), said->rule) != told.end()) continue;
      if (!Add("ending", e.file, e.line, e.text, e.note.empty() ? e.text : e.note)) continue;
      ++shown;
      // Where a program says it of itself all that say the same are one step.
      if (said == nullptr || said->rule->sign.of != SignOf::kSelf) continue;
      told.push_back(said->rule);
      TellAll(*said, &steps_.back());
    }
  }

  const EvidenceItem* SignAt(const std::string& file, uint64_t line) const {
    const auto source = sources_.find(file);
    if (source == sources_.end()) return nullptr;
    const auto here = [&](const EvidenceItem& i) {
      return i.sign >= 0 && i.finding.source == source->second && i.finding.line == line;
    };
    const auto at = std::find_if(c_.items.begin(), c_.items.end(), here);
    return at == c_.items.end() ? nullptr : &*at;
  }

  // How many say what a step says, and which ranks they are where all of them are known.
  void TellAll(const EvidenceItem& said, TimelineStep* step) const {
    std::set<int32_t> ranks;
    uint64_t count = 0;
    for (const EvidenceItem& item : c_.items) {
      if (item.rule != said.rule || item.survived || item.finding.line == 0) continue;
      ranks.insert(item.finding.rank >= 0 ? item.finding.rank : c_.model.RankOf(item.finding.process));
      ++count;
    }
    step->count = std::max<uint64_t>(count, 1);
    if (!ranks.contains(-1)) step->ranks.assign(ranks.begin(), ranks.end());
  }

  // What several lines say in the same words is one step, told of all whose they are. Where that is not known two of
  // one kind are one, and what followed in the words of the cause itself is no news.
  //   rank 1: step watchdog: collective #23 … did not finish      rank 2: step watchdog: collective #23 … did not finish
  void JoinAlike() {
    for (size_t i = 0; i < steps_.size(); ++i) {
      for (size_t k = i + 1; k < steps_.size();) {
        const bool follows = steps_[k].kind == "consequence" || steps_[k].kind == "ending" || steps_[k].kind == "alarm";
        const bool alike = follows && steps_[i].what == steps_[k].what;
        const bool apart = alike && steps_[i].kind == "root" && TellApart(steps_[i], &steps_[k]);
        if (!alike || apart || steps_[i].kind == "start" || steps_[i].kind == "progress") {
          ++k;
          continue;
        }
        if (steps_[i].kind != "root") JoinInto(steps_[k], &steps_[i]);
        steps_.erase(steps_.begin() + static_cast<ptrdiff_t>(k));
        stamped_.erase(stamped_.begin() + static_cast<ptrdiff_t>(k));
      }
    }
  }

  // Whether the two are told of different ranks; then the second one is named.
  bool TellApart(const TimelineStep& root, TimelineStep* step) const {
    if (step->rank >= 0 || !step->ranks.empty()) return true;
    const int32_t own = WhoseLine(*step);
    const int32_t other = root.rank >= 0 ? root.rank : WhoseLine(root);
    if (own < 0 || own == other) return false;
    step->rank = own;
    return true;
  }

  void JoinInto(const TimelineStep& step, TimelineStep* first) const {
    std::set<int32_t> ranks(first->ranks.begin(), first->ranks.end());
    ranks.insert(step.ranks.begin(), step.ranks.end());
    for (const TimelineStep* each : std::initializer_list<const TimelineStep*>{first, &step}) {
      if (each->ranks.empty()) ranks.insert(each->rank >= 0 ? each->rank : WhoseLine(*each));
    }
    // Not all of them are known: then nobody is named.
    first->ranks.clear();
    if (!ranks.contains(-1)) first->ranks.assign(ranks.begin(), ranks.end());
    first->rank = -1;
    first->count += step.count;
  }

  int32_t WhoseLine(const TimelineStep& step) const {
    const auto source = sources_.find(step.file);
    if (source == sources_.end()) return -1;
    if (const Event* event = EventAt(c_.model, source->second, step.line)) {
      return c_.model.RankOf(c_.model.ProcessOf(source->second, event->process, event->launcher_rank));
    }
    for (const EvidenceItem& item : c_.items) {
      const Finding& f = item.finding;
      if (f.source != source->second || f.line != step.line) continue;
      if (const int32_t rank = f.rank >= 0 ? f.rank : c_.model.RankOf(f.process); rank >= 0) return rank;
    }
    return -1;
  }

  // By the clocks of the story: a stamp that cannot stand on its line of time is none.
  void Span() {
    double first = 0, last = 0;
    for (uint32_t s = 0; s < c_.model.sources.size(); ++s) {
      for (const LineTimes::Stamp& stamp : times_.EndsOf(SourceId{s})) {
        const auto at = clock_.SecondsOf(SourceId{s}, stamp.line, stamp.time);
        if (!at) continue;
        if (!report_->span)
          report_->span = JobSpan{std::string(stamp.time), std::string(stamp.time), 0}, first = last = *at;
        if (*at < first) report_->span->from = stamp.time, first = *at;
        if (*at > last) report_->span->to = stamp.time, last = *at;
      }
    }
    for (const TimelineStep& step : report_->timeline) {
      if (!report_->span || step.seconds < 0) continue;
      if (step.seconds < first) report_->span->from = step.time, first = step.seconds;
      if (step.seconds > last) report_->span->to = step.time, last = step.seconds;
    }
    if (report_->span) report_->span->seconds = last - first;
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
    const auto source = sources_.find(file);
    const LineTimes::Stamp stamp = times_.Of(source == sources_.end() ? SourceId{} : source->second, line, text);
    step.time = std::string(stamp.time);
    step.what = what;
    step.file = file;
    step.line = line;
    step.text = text;
    steps_.push_back(std::move(step));
    stamped_.push_back(stamp.line);
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

  // Within one file the lines are in order; over several only where all steps could be put on one clock by stamps of
  // their own. Else they stay as they were told, which is the order of reasons: start, progress, cause, what followed,
  // end.
  void Order() {
    const auto same_file = [&](const TimelineStep& s) { return s.file == steps_.front().file; };
    bool own_clocks = true;
    for (size_t i = 0; i < steps_.size(); ++i) {
      own_clocks = own_clocks && steps_[i].seconds >= 0 && stamped_[i] == steps_[i].line;
    }
    if (std::all_of(steps_.begin(), steps_.end(), same_file)) {
      std::stable_sort(steps_.begin(), steps_.end(),
                       [](const TimelineStep& a, const TimelineStep& b) { return a.line < b.line; });
    } else if (own_clocks) {
      std::stable_sort(steps_.begin(), steps_.end(),
                       [](const TimelineStep& a, const TimelineStep& b) { return a.seconds < b.seconds; });
    }
  }

  const CaseFile& c_;
  const std::vector<LifeSign>& signs_;
  const OutcomeReading& o_;
  Report* report_;
  LineTimes times_;
  StoryClock clock_;
  const bool zh_;
  std::map<std::string, SourceId> sources_;
  std::set<std::pair<std::string, uint64_t>> told_;
  std::pair<std::string, uint64_t> root_;  // where the cause is told
  std::vector<TimelineStep> steps_;
  std::vector<uint64_t> stamped_;  // of the steps: the line whose stamp each has
};

}  // namespace

void TellStory(const CaseFile& c, const std::vector<LifeSign>& signs, const OutcomeReading& outcome, Report* report) {
  Story(c, signs, outcome, report).Tell();
}

}  // namespace ncclwhy

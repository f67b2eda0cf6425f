#include "job/outcome.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "job/gpu_load.h"
#include "job/other_sources.h"
#include "job/said_done.h"
#include "job/silence.h"
#include "job/work_ends.h"

namespace ncclwhy {
namespace {

// Others go on for a step or two when one has died: what they had begun, and what a launcher still holds.
constexpr uint64_t kWorksOn = 3;
constexpr uint64_t kGoesOn = 8;
constexpr size_t kMostLines = 6;

class OutcomeReader {
 public:
  OutcomeReader(const JobModel& model, const std::vector<LifeSign>& signs)
      : model_(model),
        signs_(signs),
        after_(model),
        others_(model, signs),
        ends_(FindWorkEnds(model, signs)),
        said_(model, signs, ends_) {}

  OutcomeReading Read() {
    // In this order: what is bad depends on where the work ended and which attempt is the last one.
    out_.work_done = std::any_of(ends_.lines.begin(), ends_.lines.end(), [](uint32_t line) { return line > 0; });
    others_.Know(ends_);
    FindRestarts();
    FindPulse();
    for (size_t i = 0; i < signs_.size(); ++i) {
      if (signs_[i].bad() && !Overcome(signs_[i])) out_.bad.push_back(i);
    }
    AddReasons();
    if (!out_.bad.empty()) out_.work_done = out_.work_done && !SaidByScriptAlone();
    Decide();
    return std::move(out_);
  }

 private:
  // The pulse that knows of how many, else one whose line says what it counts, else the one that beat longest.
  // A name or a total says that it is work; of two such the longer one. What only an attempt before counted tells of
  // this one only where nothing else does.
  void FindPulse() {
    FindPulse(true);
    if (out_.pulse == nullptr) FindPulse(false);
    if (out_.pulse != nullptr) TakeFarthest();
    out_.worked = out_.pulse != nullptr;
  }

  void FindPulse(bool of_last_attempt) {
    for (uint32_t i = 0; i < model_.sources.size(); ++i) {
      for (const PulseFacts& p : model_.sources[i]->pulses) {
        if (IsComplete(p) && NcclBegins(model_, SourceId{i}, p.beats.last)) continue;  // got ready
        if (of_last_attempt && p.beats.last <= attempt_[i]) continue;
        if (CountsAside(model_.sources[i]->pulses, p)) continue;
        const PulseFacts* best = out_.pulse;
        const auto worth = [](const PulseFacts& q) {
          return std::tuple(q.total > 0, q.name.valid(), q.peaks.empty(), q.beats.count);
        };
        if (best != nullptr && worth(p) <= worth(*best)) continue;
        out_.pulse = &p;
        out_.pulse_source = SourceId{i};
      }
    }
  }

  // Each rank counts the same steps, and the files of some are cut: the job came as far as the one that came farthest.
  void TakeFarthest() {
    const std::string_view name = model_.sources[out_.pulse_source.value]->Str(out_.pulse->name);
    for (uint32_t i = 0; i < model_.sources.size(); ++i) {
      for (const PulseFacts& p : model_.sources[i]->pulses) {
        const bool same = p.total > 0 && p.total == out_.pulse->total && model_.sources[i]->Str(p.name) == name;
        if (!same || p.last_value <= out_.pulse->last_value) continue;
        out_.pulse = &p;
        out_.pulse_source = SourceId{i};
      }
    }
  }

  // The line behind which the last attempt stands, in each source.
  void FindRestarts() {
    attempt_.assign(model_.sources.size(), 0);
    for (const LifeSign& s : signs_) {
      if (s.life != Life::kRestart || !s.source.valid()) continue;
      const uint32_t line = std::max(s.line, s.last_line);
      const After then = after_.Of(s.source, line, {});
      if (out_.restarts.empty() || out_.restarts.back().source == s.source) {
        out_.restarts.push_back({s.source, s.line, s.offset, s.text});
        if (s.last_line > s.line) out_.restarts.push_back({s.source, s.last_line, s.offset, s.text});
      }
      // Another attempt counts only when it did something: a launcher that says "restarting" may have given up.
      if (then.beats > 0 || then.news > 0 || ends_.lines[s.source.value] > line) {
        attempt_[s.source.value] = std::max(attempt_[s.source.value], line);
      }
    }
  }

  bool FinishedBehind(SourceId source, uint32_t line) const { return ends_.lines[source.value] > line; }

  // Whether the one whose ending this seems to be lived on, or what ended was an earlier attempt.
  bool Overcome(const LifeSign& s) const {
    if (!s.source.valid()) return false;
    const uint32_t line = std::max(s.line, s.last_line);
    if (attempt_[s.source.value] > line || others_.Overcame(s)) return true;
    if (said_.IsDismissed(s) || said_.IsOfSuite(s)) return true;
    const After then = after_.Of(s.source, line, s.process);
    const bool soft = s.how == Ending::kException;
    // Its own beats behind it: it lived on.
    if (s.of == SignOf::kSelf && s.process.valid() && then.own_beats > 0) return true;
    if (s.how == Ending::kStopped && !s.signal.empty() && !s.late && said_.DoneElsewhere(s)) return true;
    if (s.how == Ending::kStopped && said_.IsListedBeside(s)) return true;
    // The end of a unit, a container or a job at which nobody ended was that of another one. Whom a scheduler stops
    // works on for as long as it is let.
    const bool stops_job = s.of == SignOf::kJob && s.how == Ending::kStopped;
    // The same script, once more: it begins anew, or works on and comes to its end.
    if (stops_job && then.beats > 0 && NcclBegins(model_, s.source, line)) return true;
    if (stops_job && then.beats >= kWorksOn && ends_.signs.contains(s.source.value) && FinishedBehind(s.source, line)) {
      return true;
    }
    if (others_.IsStrangers(s)) return true;
    if (stops_job && then.beats < kSteadyBeats) return false;
    if (s.of == SignOf::kJob && after_.EverybodyWorks(s.source, line)) return true;
    // `Aborted (core dumped)` of one, and others begin a new kind of work: then it was no stumble.
    if (!soft && after_.OthersWork(s.source, line)) return false;
    // Three beats of anybody: a rank that dies takes the others with it within a step or two.
    if (then.beats >= kWorksOn) return true;
    if (FinishedBehind(s.source, line)) {
      if (!soft && IsHalfDone(s.source)) return false;
      // All work was done before, and a word behind it says that it ended well:
      //   4800/4800 …      Worker proc VllmWorker-2 died unexpectedly, shutting down executor.      exit code: 0
      const uint32_t complete = ends_.complete[s.source.value];
      const bool done = complete > 0 && complete < line && s.how != Ending::kStopped;
      return done || s.of == SignOf::kSelf || soft || s.how == Ending::kSignal || said_.DoneBefore(s);
    }
    // Its last words, behind its own work: whoever left in order does not end so. An exception's text has lines of its
    // own; who says that he is done has no more to say.
    const uint64_t own_lines = ends_.signs.contains(s.source.value) ? 0 : kLastNews;
    const bool last_words =
        ends_.lines[s.source.value] > 0 && then.beats == 0 && then.news <= own_lines && !then.left_in_order;
    if (soft && last_words && s.of == SignOf::kSelf) return false;
    // In a file of its own: it left in order, and the others came to their end.
    return soft && (then.left_in_order || said_.DoneByWorkers()) && !HardEnding();
  }

  // Whether the work stands far from what it counts to, in another file or in the midst of what it had done whole
  // before: a script's word that it is done is that of `wait`, or of a program that caught what it died of.
  //   run.out: bash: line 1: 31602 Illegal instruction … done rc=0      rank0.out: … 240/256
  //   iter: 410/410 … iter: 170/410 …      process 0 terminated with signal SIGABRT      train rc=0
  bool IsHalfDone(SourceId said) const {
    constexpr double kAlmost = 0.97;
    const PulseFacts* p = out_.pulse;
    if (p == nullptr || p->total <= 1 || p->last_value >= p->total * kAlmost) return false;
    if (out_.pulse_source != said) return ends_.lines[out_.pulse_source.value] == 0;
    const auto whole = [p](const PulsePeak& peak) { return peak.value >= p->total; };
    return p->peaks.size() > 1 && std::all_of(p->peaks.begin(), p->peaks.end(), whole);
  }

  // Whether nobody who works has come to his end: the script around them alone says so.
  bool SaidByScriptAlone() const {
    for (uint32_t s = 0; s < ends_.lines.size(); ++s) {
      if (ends_.lines[s] > 0 && !IsHalfDone(SourceId{s})) return false;
    }
    return true;
  }

  // An abort of nobody in particular, behind which the others only did what was under way before they ended badly, too.
  //   terminate called after throwing …      step=20 … step=20 …      rank 3: step watchdog: no progress for 6 s
  void AddAborts(const std::vector<size_t>& endings) {
    for (size_t i = 0; i < signs_.size(); ++i) {
      // Aborts that were taken for overcome, since the others still moved a little.
      const LifeSign& s = signs_[i];
      if (s.how != Ending::kAbort || s.of != SignOf::kSelf || !s.source.valid()) continue;
      const uint32_t line = std::max(s.line, s.last_line);
      const bool ended_later = std::any_of(endings.begin(), endings.end(), [&](size_t n) {
        return signs_[n].source == s.source && signs_[n].line > line;
      });
      const bool known = std::find(endings.begin(), endings.end(), i) != endings.end();
      const bool ended = attempt_[s.source.value] > line || FinishedBehind(s.source, line);
      // An ending later in the same file: the abort is its reason.
      if (!known && !ended && ended_later && after_.Of(s.source, line, {}).beats < kGoesOn) out_.bad.push_back(i);
    }
  }

  // An exception behind which its own process does no work, and whose rank an ending names later: others that worked on
  // for a while had not heard of it yet.
  //   [rank1]: FileNotFoundError: …      Map:  73%|███▎  | 29000/39531      rank      : 1 (local_rank: 1)
  void AddReasons() {
    if (out_.bad.empty()) return;
    const std::vector<size_t> endings = out_.bad;
    AddAborts(endings);
    const auto named_later = [&](const LifeSign& s, int32_t rank) {
      return std::any_of(signs_.begin(), signs_.end(), [&](const LifeSign& end) {
        return end.bad() && end.how != Ending::kException && end.of == SignOf::kNamed && end.rank == rank &&
               end.source == s.source && end.line > s.line;
      });
    };
    // It never spoke again, and others came to grief behind it.
    //   [rank5]: ZeroDivisionError: …      Validation: 100%|███| 118/118      [Rank 0] Watchdog caught collective …
    const auto silent_since = [&](const LifeSign& s) {
      const Place& last = model_.processes[s.process.value].last;
      return last.source == s.source && last.line <= std::max(s.line, s.last_line) &&
             std::any_of(endings.begin(), endings.end(), [&](size_t n) {
               const LifeSign& end = signs_[n];
               return end.source == s.source && end.line > s.line && end.process != s.process;
             });
    };
    for (size_t i = 0; i < signs_.size(); ++i) {
      const LifeSign& s = signs_[i];
      const int32_t rank = model_.RankOf(s.process);
      if (s.how != Ending::kException || s.of != SignOf::kSelf || rank < 0) continue;
      if (!named_later(s, rank) && !silent_since(s)) continue;
      const After then = after_.Of(s.source, std::max(s.line, s.last_line), s.process);
      const bool known = std::find(endings.begin(), endings.end(), i) != endings.end();
      if (!known && then.own_beats == 0) out_.bad.push_back(i);
    }
    std::sort(out_.bad.begin(), out_.bad.end());
  }

  bool HardEnding() const {
    return std::any_of(signs_.begin(), signs_.end(),
                       [](const LifeSign& s) { return s.bad() && s.how != Ending::kException; });
  }

  void Add(Shows shows, const LifeSign& s) {
    if (out_.evidence.size() < kMostLines) {
      out_.evidence.push_back({shows, {s.source, s.line, s.offset, s.text}, s.note});
    }
  }

  void Decide() {
    // A scheduler cancels what is left of a job that has failed: then the stop is no more than an ending.
    const auto ended_before = [&](const LifeSign& stop) {
      // Told late, by a message that came in another order than things happened.
      if (stop.late) return false;
      if (!stop.signal.empty() && others_.EndedJustBefore(stop)) return true;
      return std::any_of(out_.bad.begin(), out_.bad.end(), [&](size_t i) {
        const LifeSign& s = signs_[i];
        return IsOwnEnd(s) && s.source == stop.source && s.line < stop.line;
      });
    };
    const auto stops = [&](size_t i) { return signs_[i].how == Ending::kStopped && !ended_before(signs_[i]); };
    if (OthersWaitBehind()) return;
    if (!out_.bad.empty()) {
      const bool stopped = std::any_of(out_.bad.begin(), out_.bad.end(), stops);
      // Whoever is ended from outside when the work is done had failed to leave. Who says behind it that he is done has
      // wound up; where all have left NCCL in order, something else kept the job.
      //   job.sh: caught SIGTERM, stopping srun      job.sh: srun returned 0
      const bool early = std::any_of(out_.bad.begin(), out_.bad.end(), [&](size_t i) {
        const LifeSign& s = signs_[i];
        // An evaluation that came to its end beside it is not its work.
        const bool works = s.source.valid() && !model_.sources[s.source.value]->pulses.empty();
        const bool done = works ? SurelyDone(s.source) : out_.work_done;
        return stops(i) && (!done || LeftInOrder() ||
                            (s.source.valid() && FinishedBehind(s.source, std::max(s.line, s.last_line))));
      });
      out_.outcome = early ? Outcome::kStopped : Outcome::kFailed;
      for (const size_t i : out_.bad) {
        // Evidence of one kind: a stop among failures would confuse.
        if (stops(i) == stopped) Add(stopped ? Shows::kStop : Shows::kEnding, signs_[i]);
      }
      AddLastBeat();
      return;
    }
    bool gave_up = false;
    for (const LifeSign& s : signs_) {
      if (s.life != Life::kWaiting || !s.source.valid()) continue;
      const uint32_t line = std::max(s.line, s.last_line);
      const After then = after_.Of(s.source, line, s.process);
      // Two beats: one may have been under way.
      const bool went_on = then.beats >= 2 || (s.of == SignOf::kSelf && s.process.valid() && then.own_beats > 0);
      if (went_on || FinishedBehind(s.source, line) || attempt_[s.source.value] > line) continue;
      out_.outcome = Outcome::kHung;
      gave_up = gave_up || s.how != Ending::kNone;
      Add(Shows::kWaiting, s);
    }
    if (out_.outcome == Outcome::kHung && (!out_.work_done || OnlyListed())) {
      // Who waited has given up, unless he goes on counting.
      const auto aborted = [](const Process& p) { return p.aborted; };
      gave_up = gave_up || std::any_of(model_.processes.begin(), model_.processes.end(), aborted);
      if (gave_up && !CountedWait(model_)) out_.outcome = Outcome::kFailed;
      AddLastBeat();
      return;
    }
    // Waiting that was overcome is no evidence.
    out_.evidence.clear();
    out_.outcome = Outcome::kUnknown;
    if (out_.work_done) {
      out_.outcome = Outcome::kSucceeded;
      for (const auto& [source, sign] : ends_.signs) Add(Shows::kFinished, *sign);
      AddLastBeat();
      return;
    }
    if (LeftInOrder()) out_.outcome = Outcome::kSucceeded;
    out_.wound_up = WoundUp(model_, out_.pulse);
    if (out_.outcome == Outcome::kUnknown) {
      if (auto silent = SilentWork(model_); silent || (silent = CountedWait(model_))) {
        out_.outcome = Outcome::kHung;
        out_.wound_up = false;
        out_.evidence.push_back({Shows::kSilence, *silent, {}});
      } else if (const auto busy = BusyBesideSilence(model_)) {
        out_.outcome = Outcome::kHung;
        out_.wound_up = false;
        out_.evidence.push_back({Shows::kBusy, *busy, {}});
      } else if (const LifeSign* entered = SilentStart(model_, signs_)) {
        out_.outcome = Outcome::kHung;
        out_.wound_up = false;
        Add(Shows::kWaiting, *entered);
      }
    }
    AddLastBeat();
  }

  // What ended were single ones, named by a launcher, and behind that others count the seconds of their waiting: nobody
  // ends the job.
  //   gn04: ssh exited with exit code 1      gn01: 12:12:17 - WARNING - waited for 7200 s
  bool OthersWaitBehind() {
    if (out_.bad.empty() || out_.work_done) return false;
    const auto waited = CountedWait(model_);
    if (!waited) return false;
    const std::vector<WaitFacts>& waits = model_.sources[waited->source.value]->waits;
    const bool single = std::all_of(out_.bad.begin(), out_.bad.end(), [&](size_t i) {
      const LifeSign& s = signs_[i];
      const bool before = s.source != waited->source ||
                          std::all_of(waits.begin(), waits.end(),
                                      [&](const WaitFacts& w) { return std::max(s.line, s.last_line) < w.last_line; });
      return s.of == SignOf::kNamed && s.how != Ending::kStopped && before;
    });
    if (!single) return false;
    out_.outcome = Outcome::kHung;
    out_.evidence.push_back({Shows::kSilence, *waited, {}});
    for (const size_t i : out_.bad) Add(Shows::kEnding, signs_[i]);
    AddLastBeat();
    return true;
  }

  // Whether no more than a table says that it is done: it knows of processes, not of their work.
  //   rank0.log: … Watchdog caught collective operation timeout: …      train-worker-0   0/1   Completed   0   47m
  bool OnlyListed() const {
    for (uint32_t s = 0; s < ends_.lines.size(); ++s) {
      if (ends_.lines[s] == 0) continue;
      const auto said = ends_.signs.find(s);
      const bool listed = said != ends_.signs.end() && said->second->of == SignOf::kNamed &&
                          said->second->how != Ending::kExit && model_.sources[s]->pulses.empty();
      if (!listed) return false;
    }
    return true;
  }

  // Not where all that came to its end is what begins anew with each epoch, of which nobody says how many there are.
  //   [train] ep 9 1000/1000 ctc 91.62      [dev] ep 9 loss 83.109      Received Signals.SIGTERM death signal
  bool SurelyDone(SourceId source) const {
    if (ends_.lines[source.value] == 0) return false;
    const std::vector<PulseFacts>& pulses = model_.sources[source.value]->pulses;
    return ends_.signs.contains(source.value) || std::any_of(pulses.begin(), pulses.end(), [](const PulseFacts& p) {
             return IsComplete(p) && p.peaks.empty();
           });
  }

  // Every process that NCCL knows has destroyed its communicators, and none has aborted one.
  bool LeftInOrder() const {
    size_t known = 0;
    for (const Process& p : model_.processes) {
      if (p.pid < 0) continue;
      ++known;
      if (p.aborted || !p.destroyed) return false;
    }
    return known > 0;
  }

  void AddLastBeat() {
    if (out_.pulse == nullptr || out_.evidence.size() >= kMostLines) return;
    const LineRef& last = out_.pulse->last;
    const SourceFacts& facts = *model_.sources[out_.pulse_source.value];
    out_.evidence.push_back({Shows::kLastBeat, {out_.pulse_source, last.line, last.offset, facts.Str(last.text)}, {}});
  }

  const JobModel& model_;
  const std::vector<LifeSign>& signs_;
  const Aftermath after_;
  OtherSources others_;
  const WorkEnds ends_;
  const SaidDone said_;
  std::vector<uint32_t> attempt_;  // by source
  OutcomeReading out_;
};

}  // namespace

OutcomeReading ReadOutcome(const JobModel& model, const std::vector<LifeSign>& signs) {
  return OutcomeReader(model, signs).Read();
}

}  // namespace ncclwhy

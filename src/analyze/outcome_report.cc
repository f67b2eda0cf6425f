#include "analyze/outcome_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyze/place_evidence.h"

namespace ncclwhy {
namespace {

// Causes of which nothing dies by itself: without an ending, whoever has them waits.
constexpr std::string_view kWaits[] = {"app.rank-stalled",  "app.p2p-unmatched", "app.concurrent-comms",
                                       "boot.rank-missing", "boot.stale-store",  "boot.unique-id-misuse"};

Outcome OutcomeWord(JobOutcome outcome) {
  switch (outcome) {
    case JobOutcome::kSucceeded:
      return Outcome::kSucceeded;
    case JobOutcome::kFailed:
      return Outcome::kFailed;
    case JobOutcome::kHung:
      return Outcome::kHung;
    case JobOutcome::kStopped:
      return Outcome::kStopped;
    case JobOutcome::kUnknown:
      break;
  }
  return Outcome::kUnknown;
}

std::string NoteOf(const OutcomeLine& line, bool work_done, Language language) {
  const bool zh = language == Language::kChinese;
  if (!line.note.empty() && line.note.find('{') == std::string::npos) return line.note;
  switch (line.shows) {
    case Shows::kEnding:
      return work_done ? (zh ? "工作完成之后异常结束" : "ended badly, after the work was done")
                       : (zh ? "异常结束" : "ended badly");
    case Shows::kStop:
      return zh ? "由外部终止" : "ended from outside";
    case Shows::kWaiting:
      return zh ? "在等待，此后再无进展" : "it waits, and nothing goes on behind this line";
    case Shows::kFinished:
      return zh ? "工作结束" : "it came to its end";
    case Shows::kLastBeat:
      return zh ? "最后一次可见的进展" : "the last progress";
    case Shows::kLeftInOrder:
      return zh ? "有序退出" : "left in order";
  }
  return {};
}

// 41200 → 41,200
std::string Grouped(double value) {
  if (value != std::floor(value) || value >= 1e15) return fmt::format("{:g}", value);
  std::string digits = fmt::format("{:.0f}", value);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string Progress(const JobModel& model, const OutcomeReading& o, Language language) {
  if (o.pulse == nullptr) return {};
  const SourceFacts& facts = *model.sources[o.pulse_source.value];
  const std::string_view name = facts.Str(o.pulse->name);
  const bool zh = language == Language::kChinese;
  const std::string of = o.pulse->total > 0 ? (zh ? " / " : " of ") + Grouped(o.pulse->total) : "";
  return fmt::format("{}{}{}", name.empty() ? "" : fmt::format("{} ", name), Grouped(o.pulse->last_value), of);
}

// NCCL's own files hold no line of the program. When all that they began is complete, for every rank, and nothing is
// wrong in them, nothing was wrong.
bool OnlyNcclAndWhole(const JobModel& model) {
  for (const SourceFacts* source : model.sources) {
    if (source->counters.Get(Counter::kForeign) > 0) return false;
  }
  const auto whole = [](const Communicator& c) {
    return c.nranks > 0 && c.ranks_seen == c.nranks &&
           std::all_of(c.ranks.begin(), c.ranks.end(), [](const Rank& r) { return r.reached >= Stage::kReady; });
  };
  return !model.communicators.empty() && std::all_of(model.communicators.begin(), model.communicators.end(), whole);
}

bool Waits(const std::string& cause) {
  return std::find(std::begin(kWaits), std::end(kWaits), cause) != std::end(kWaits);
}

}  // namespace

bool EndedBadly(const OutcomeReading& o) {
  return o.outcome == JobOutcome::kFailed || o.outcome == JobOutcome::kHung || o.outcome == JobOutcome::kStopped;
}

void BlameFirstToEnd(const JobModel& model, const std::vector<LifeSign>& signs, const OutcomeReading& o,
                     Language language, Cause* cause) {
  if (!cause->culprits.empty() || (cause->id != "app.rank-crashed" && cause->id != "host.oom")) return;
  for (const size_t i : o.bad) {
    const LifeSign& s = signs[i];
    if (s.of == SignOf::kJob || (s.of == SignOf::kSelf && s.how == Ending::kExit) || s.how == Ending::kStopped)
      continue;
    Culprit c;
    c.rank = s.of == SignOf::kNamed ? s.rank : model.RankOf(s.process);
    c.host = s.host;
    for (const Process& p : model.processes) {
      const bool is = s.of == SignOf::kSelf ? p.id == s.process
                      : c.rank >= 0         ? p.rank == c.rank
                                            : s.pid >= 0 && p.pid == s.pid;
      if (!is) continue;
      if (c.rank < 0) c.rank = model.RankOf(p.id);
      c.pid = p.pid;
      c.gpu = p.gpu;
      if (!p.host.empty()) c.host = std::string(p.host);
      break;
    }
    if (c.rank < 0) continue;
    c.why = language == Language::kChinese ? "最先异常结束的进程" : "the first to end badly";
    cause->culprits.push_back(std::move(c));
    return;
  }
}

void TellOutcome(const JobModel& model, const OutcomeReading& o, const Ranking& ranking, Language language,
                 Report* report) {
  report->outcome = OutcomeWord(o.outcome);
  if (o.outcome == JobOutcome::kUnknown && report->verdict == Verdict::kFailure) {
    const bool aborted =
        std::any_of(model.processes.begin(), model.processes.end(), [](const Process& p) { return p.aborted; });
    report->outcome = Waits(report->causes[0].id) && !aborted ? Outcome::kHung : Outcome::kFailed;
  }
  if (o.outcome == JobOutcome::kUnknown && report->verdict == Verdict::kHealthy && OnlyNcclAndWhole(model)) {
    report->outcome = Outcome::kSucceeded;
  }
  if (o.outcome == JobOutcome::kHung && report->verdict == Verdict::kFailure && ranking.failed &&
      report->causes[0].id.starts_with("stopped.")) {
    report->outcome = Outcome::kStopped;
  }
  for (const OutcomeLine& line : o.evidence) {
    const Evidence e = PlaceEvidence(model, line.place, "direct");
    report->outcome_evidence.push_back({e.file, e.line, e.text, NoteOf(line, o.work_done, language)});
  }
  report->progress = Progress(model, o, language);
  uint32_t first = 1;
  for (const Place& restart : o.restarts) {
    Attempt attempt;
    attempt.outcome = Outcome::kFailed;
    attempt.file = model.sources[restart.source.value]->name;
    attempt.first_line = first;
    attempt.last_line = restart.line;
    attempt.sentence = std::string(restart.text);
    report->attempts.push_back(std::move(attempt));
    first = restart.line + 1;
  }
  if (report->attempts.empty()) return;
  Attempt last;
  last.outcome = report->outcome;
  last.file = report->attempts.front().file;
  last.first_line = first;
  last.last_line = model.sources[o.restarts.front().source.value]->counters.Get(Counter::kLines);
  if (report->verdict == Verdict::kFailure) last.cause = report->causes[0].id;
  report->attempts.push_back(std::move(last));
}

}  // namespace ncclwhy

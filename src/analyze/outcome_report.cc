#include "analyze/outcome_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyze/place_evidence.h"
#include "analyze/standstill.h"
#include "base/numbers.h"
#include "base/utf8.h"
#include "job/thread_stack.h"
#include "parser/clock.h"
#include "parser/pulse_words.h"

namespace ncclwhy {
namespace {

constexpr uint64_t kWordsAround = 4;  // in a file; NCCL itself puts an empty line before a warning
constexpr double kOwnWork = 0.5;      // of the last value of a pulse; below, most was done by an earlier job

std::string NoteOf(const OutcomeLine& line, bool work_done, Language language) {
  const bool zh = language == Language::kChinese;
  // A note with a value to be filled in is meant for the finding of its rule, and would show its braces here.
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
    case Shows::kBusy:
      return zh ? "GPU 满载，而工作没有进展" : "its GPUs are at full load, and nothing comes of it";
    case Shows::kSilence:
      return zh ? "还在重复输出，而工作早已停下" : "it still repeats itself, long after the work has stopped";
  }
  return {};
}

// 41200 → 41,200
std::string Grouped(double value) {
  if (value != std::floor(value) || value >= 1e15) return fmt::format("{:g}", value);
  std::string digits = fmt::format("{:.0f}", value);
  const size_t sign = value < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > sign + 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

// `last progress "1024 256 float sum -1 20.0 0.05 …" (job.log:350)`: the line itself, of which nobody knows what it
// counts. Nothing for a job that ended well, which came to its end.
std::string LastRow(const JobModel& model, const OutcomeReading& o, Outcome outcome, Language language) {
  constexpr size_t kColumns = 48;
  const SourceFacts& facts = *model.sources[o.pulse_source.value];
  std::string row;
  for (const char ch : facts.Str(o.pulse->last.text)) {
    if (ch != '\t' && ch != ' ') {
      row += ch;
    } else if (!row.empty() && row.back() != ' ') {
      row += ' ';
    }
  }
  while (row.ends_with(' ') || row.ends_with('\r')) row.pop_back();
  // Only its beginning is kept: it may end within a number, or a letter.
  const bool kept_short = facts.Str(o.pulse->last.text).size() >= kBeatTextKept;
  std::string shown(PrefixOfWidth(row, kColumns));
  if (shown.size() < row.size() || kept_short) {
    shown.resize(std::min(shown.size(), shown.rfind(' ')));
    shown += " \xE2\x80\xA6";  // …
  }
  if (shown.empty()) return {};
  const bool zh = language == Language::kChinese;
  const std::string quoted = (zh ? "“" : "\"") + shown + (zh ? "”" : "\"");
  // Where nobody knows how it ended the line of its last progress is named beside it.
  if (outcome == Outcome::kUnknown) return quoted;
  return fmt::format("{} {} ({}:{})", zh ? "最后的进展" : "last progress", quoted, facts.name, o.pulse->last.line);
}

// `38 of 40 steps in 3 h 12 min`; the last line of it when it does not say what its number counts.
std::string ProgressInWords(const JobModel& model, const OutcomeReading& o, Outcome outcome, Language language) {
  if (o.pulse == nullptr) return {};
  const SourceFacts& facts = *model.sources[o.pulse_source.value];
  const WorkUnit* unit = WorkUnitOf(facts.Str(o.pulse->name));
  const bool zh = language == Language::kChinese;
  if (unit == nullptr && o.pulse->total <= 0) {
    return outcome == Outcome::kSucceeded ? std::string() : LastRow(model, o, outcome, language);
  }
  std::string out = Grouped(o.pulse->last_value);
  if (o.pulse->total > 0) out += (zh ? " / " : " of ") + Grouped(o.pulse->total);
  const bool one = o.pulse->last_value == 1 && o.pulse->total <= 0;
  if (unit != nullptr) out += fmt::format(" {}", zh ? unit->zh : one ? unit->one : unit->many);
  const auto took = SecondsBetween(facts.Str(o.pulse->first_time), facts.Str(o.pulse->last_time));
  if (!took || *took < 1) return out;
  // A job that went on from where an earlier one had saved it did not do all of that in this time.
  const double done = o.pulse->last_value - o.pulse->first_value;
  const bool resumed = done > 0 && done < o.pulse->last_value * kOwnWork && o.pulse->peaks.empty();
  if (resumed) out += (zh ? "，其中最后 " : ", the last ") + Grouped(done);
  out += (zh ? "，用时 " : " in ") + DurationInWords(*took, zh);
  return out;
}

// Of a job that was stopped: how long the steps that are left would take, so that nobody asks for too little again.
//   3 of 1,000 steps in 6 min 24 s   →   ", the rest needs about 1 d 11 h more at this pace"
std::string RestInWords(const JobModel& model, const OutcomeReading& o, bool zh) {
  constexpr double kWorthSaying = 60;
  // Counted anew in each epoch: what is left of them all nobody knows.
  if (o.pulse == nullptr || o.pulse->total <= o.pulse->last_value || !o.pulse->peaks.empty()) return {};
  const SourceFacts& facts = *model.sources[o.pulse_source.value];
  const auto took = SecondsBetween(facts.Str(o.pulse->first_time), facts.Str(o.pulse->last_time));
  const double done = o.pulse->last_value - o.pulse->first_value;
  if (!took || *took < 1 || done <= 0) return {};
  const double left = *took / done * (o.pulse->total - o.pulse->last_value);
  if (left < kWorthSaying) return {};
  return fmt::format(fmt::runtime(zh ? "，按此速度剩余部分还需约 {}" : ", the rest needs about {} more at this pace"),
                     DurationInWords(left, zh));
}

// `Epoch 2/3` in front of steps that are counted anew in each: "2 of 3"; empty where none tells.
std::string EpochOfPulse(const CaseFile& c, const OutcomeReading& o) {
  if (o.pulse == nullptr) return {};
  const Finding* latest = nullptr;
  for (const EvidenceItem& item : c.items) {
    const Finding& f = item.finding;
    if (item.rule == nullptr || item.rule->sign.life != Life::kProgress || f.Field("epoch").empty()) continue;
    if (f.source != o.pulse_source || f.line > o.pulse->last.line) continue;
    if (latest == nullptr || latest->line < f.line) latest = &f;
  }
  if (latest == nullptr) return {};
  const bool zh = c.language == Language::kChinese;
  return fmt::format("{}{}{}", latest->Field("epoch"), zh ? " / " : " of ", latest->Field("epochs"));
}

// Of what was saved, what lies furthest: by the number of its step, else by its line.
std::optional<Checkpoint> LatestSaved(const CaseFile& c) {
  const Finding* latest = nullptr;
  const auto worth = [](const Finding& f) {
    return std::pair(ParseInt<int64_t>(f.Field("step")).value_or(-1), f.line);
  };
  for (const EvidenceItem& item : c.items) {
    if (item.rule == nullptr || item.rule->sign.life != Life::kSaved || !item.finding.source.valid()) continue;
    if (latest == nullptr || worth(*latest) < worth(item.finding)) latest = &item.finding;
  }
  if (latest == nullptr) return std::nullopt;
  return Checkpoint{std::string(latest->Field("step")), c.model.sources[latest->source.value]->name, latest->line,
                    latest->text};
}

// A pulse that says what it counts, or of how many: the job worked.
bool Counts(const PulseFacts* pulse) { return pulse != nullptr && (pulse->total > 0 || pulse->name.valid()); }

// NCCL's own files hold no line of the program, or a word or two around them. When all that they began is complete, for
// every rank, and nothing is wrong in them, nothing was wrong.
bool OnlyNcclAndWhole(const JobModel& model) {
  // A pulse is the program's: how far it came tells more than how NCCL began.
  const auto only_nccl = [](const SourceFacts* s) {
    return s->counters.Get(Counter::kForeign) <= kWordsAround && s->pulses.empty();
  };
  if (!std::all_of(model.sources.begin(), model.sources.end(), only_nccl)) return false;
  const auto whole = [](const Communicator& c) {
    return c.nranks > 0 && c.ranks_seen == c.nranks &&
           std::all_of(c.ranks.begin(), c.ranks.end(), [](const Rank& r) { return r.reached >= Stage::kReady; });
  };
  return !model.communicators.empty() && std::all_of(model.communicators.begin(), model.communicators.end(), whole);
}

// NCCL had begun in it, and neither it nor the program that it speaks for has complained or worked since: whoever
// stands there, waits.
//   … Init START (the last line of everybody)
bool StandsQuietly(const CaseFile& c, const OutcomeReading& o) {
  const auto complains = [](const Process& p) { return p.aborted || p.destroyed || p.warns > 0; };
  if (!o.bad.empty() || c.model.communicators.empty() ||
      std::any_of(c.model.processes.begin(), c.model.processes.end(), complains)) {
    return false;
  }
  const auto of_nccl = [&](SourceId s) {
    return s.valid() && c.model.sources[s.value]->counters.Get(Counter::kNccl) > 0;
  };
  const bool alarmed = std::any_of(c.items.begin(), c.items.end(), [&](const EvidenceItem& i) {
    const Role role = i.finding.role;
    const bool alarm = role == Role::kRoot || role == Role::kSymptom || role == Role::kSecondary;
    const bool compared = i.rule != nullptr && !i.rule->query.empty();  // nobody complains of it
    return alarm && !i.survived && !i.info && !compared && of_nccl(i.finding.source);
  });
  return !alarmed && (o.pulse == nullptr || !of_nccl(o.pulse_source));
}

// What broke the attempt whose lines these are, as if nothing had come behind it; empty when they do not tell.
std::string CauseWithin(const CaseFile& c, SourceId source, uint64_t first, uint64_t last) {
  std::vector<EvidenceItem> items;
  for (const EvidenceItem& item : c.items) {
    const Finding& f = item.finding;
    if (f.source != source || f.line < first || f.line > last) continue;
    items.push_back(item);
    items.back().survived = false;
  }
  const Ranking ranking = RankCauses({c.model, items, c.kb, c.language, c.environment});
  const bool named = !ranking.hypotheses.empty() && ranking.hypotheses[0].probability >= kNameThreshold;
  return named ? ranking.hypotheses[0].cause : std::string();
}

void TellAttempts(const CaseFile& c, const OutcomeReading& o, Report* report) {
  if (o.restarts.empty()) return;
  const SourceId source = o.restarts.front().source;
  Attempt attempt;
  attempt.file = c.model.sources[source.value]->name;
  attempt.first_line = 1;
  for (const Place& restart : o.restarts) {
    attempt.outcome = Outcome::kFailed;
    attempt.last_line = restart.line;
    attempt.cause = CauseWithin(c, source, attempt.first_line, attempt.last_line);
    attempt.sentence = std::string(restart.text);
    report->attempts.push_back(attempt);
    attempt.first_line = restart.line + 1;
  }
  attempt.outcome = report->outcome;
  attempt.last_line = c.model.sources[source.value]->counters.Get(Counter::kLines);
  attempt.cause = report->verdict == Verdict::kFailure ? report->causes[0].id : std::string();
  attempt.sentence.clear();
  report->attempts.push_back(std::move(attempt));
}

}  // namespace

bool EndedBadly(const OutcomeReading& o) {
  return o.outcome == Outcome::kFailed || o.outcome == Outcome::kHung || o.outcome == Outcome::kStopped;
}

std::optional<Culprit> FirstToEnd(const CaseFile& c, const std::vector<LifeSign>& signs, const OutcomeReading& o) {
  for (const size_t i : o.bad) {
    const LifeSign& s = signs[i];
    // An exception may tell of somebody else's end; one that does not names its own process as evidence.
    const bool own = s.of == SignOf::kSelf && (s.how == Ending::kExit || s.how == Ending::kException);
    if (s.of == SignOf::kJob || own || s.how == Ending::kStopped) continue;
    Culprit out;
    out.rank = s.of == SignOf::kNamed ? s.rank : c.model.RankOf(s.process);
    out.host = s.host;
    for (const Process& p : c.model.processes) {
      const bool is = s.of == SignOf::kSelf ? p.id == s.process
                      : out.rank >= 0       ? p.rank == out.rank
                                            : s.pid >= 0 && p.pid == s.pid;
      if (!is) continue;
      if (out.rank < 0) out.rank = c.model.RankOf(p.id);
      out.pid = p.pid;
      out.gpu = p.gpu;
      if (!p.host.empty()) out.host = std::string(p.host);
      break;
    }
    if (out.rank < 0) continue;
    out.why = c.chinese() ? "最先异常结束的进程" : "the first to end badly";
    return out;
  }
  return std::nullopt;
}

void TellOutcome(const CaseFile& c, const OutcomeReading& o, const Ranking& ranking, Report* report) {
  const bool zh = c.language == Language::kChinese;
  report->outcome = o.outcome;
  const auto is_aborted = [](const Process& p) { return p.aborted; };
  if (o.outcome == Outcome::kUnknown && report->verdict == Verdict::kFailure) {
    const bool aborted = std::any_of(c.model.processes.begin(), c.model.processes.end(), is_aborted);
    const CauseTraits traits = c.kb.TraitsOf(report->causes[0].id);
    // Of a job that nobody saw work, or end, somebody took stacks: it stood. Who aborts may print its own.
    const std::vector<ThreadStack> stacks = FindStacks(c.model);
    const bool taken = std::any_of(stacks.begin(), stacks.end(), [](const ThreadStack& s) {
      return s.frames.find("abort") == std::string_view::npos;
    });
    report->outcome_inferred =
        !aborted && (traits.waits || (o.bad.empty() && !Counts(o.pulse) && taken) || StandsQuietly(c, o));
    const Outcome ended = traits.kind == CauseKind::kStop ? Outcome::kStopped : Outcome::kFailed;
    report->outcome = report->outcome_inferred ? Outcome::kHung : ended;
  }
  const bool well = report->verdict != Verdict::kFailure && report->verdict != Verdict::kUndetermined;
  // An alarm that nothing followed is no way to wind up, even when it tells nothing of its cause.
  const bool alarmed = std::any_of(c.items.begin(), c.items.end(), [](const EvidenceItem& i) {
    const Role role = i.finding.role;
    return !i.survived && !i.info && (role == Role::kRoot || role == Role::kSymptom || role == Role::kSecondary);
  });
  const bool ended = (o.wound_up && !alarmed) || OnlyNcclAndWhole(c.model);
  if (o.outcome == Outcome::kUnknown && well && ended) report->outcome = Outcome::kSucceeded;
  // What ranks say of their lost peers follows from the loss of a machine; of a stop by a signal only waiting does.
  const auto of_machine = [&](size_t n) {
    return c.items[n].rule != nullptr && c.items[n].rule->blame == Blame::kHost;
  };
  const bool follows = o.outcome == Outcome::kHung || (o.outcome == Outcome::kFailed && !ranking.hypotheses.empty() &&
                                                       std::any_of(ranking.hypotheses[0].evidence.begin(),
                                                                   ranking.hypotheses[0].evidence.end(), of_machine));
  if (follows && report->verdict == Verdict::kFailure && ranking.failed &&
      c.kb.TraitsOf(report->causes[0].id).kind == CauseKind::kStop) {
    report->outcome = Outcome::kStopped;
  }
  for (const OutcomeLine& line : o.evidence) {
    const Evidence e = PlaceEvidence(c.model, line.place, "direct");
    report->outcome_evidence.push_back({e.file, e.line, e.text, NoteOf(line, o.work_done, c.language)});
  }
  if (report->outcome == Outcome::kHung && report->verdict == Verdict::kUndetermined && report->headline.empty()) {
    report->headline =
        zh ? "工作停滞不前，这些日志没有说明原因。" : "The work stands still, and these logs do not say why.";
  }
  report->progress = ProgressInWords(c.model, o, report->outcome, c.language);
  if (const std::string epoch = EpochOfPulse(c, o); !epoch.empty() && !report->progress.empty()) {
    report->progress += fmt::format(fmt::runtime(zh ? "，第 {} 个 epoch" : " in epoch {}"), epoch);
  }
  if (report->outcome == Outcome::kStopped && !report->progress.empty()) {
    report->progress += RestInWords(c.model, o, zh);
  }
  // Whose results are there runs nothing again. What was stopped from outside was at something.
  const bool stopped = !report->causes.empty() && c.kb.TraitsOf(report->causes[0].id).kind == CauseKind::kStop;
  if (o.work_done && !stopped && report->outcome == Outcome::kFailed && !report->progress.empty()) {
    report->progress += zh ? "，此时工作已完成" : ", the work was done by then";
  }
  if (const auto still = c.environment.values.find("still");
      still != c.environment.values.end() && !report->progress.empty()) {
    report->progress += fmt::format(fmt::runtime(zh ? "，此后 {} 没有进展" : ", then nothing for {}"), still->second);
  }
  report->checkpoint = LatestSaved(c);
  TellAttempts(c, o, report);
}

}  // namespace ncclwhy

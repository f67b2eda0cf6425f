#include "report/outcome_sentence.h"

#include "base/text.h"
#include "report/phrases.h"
#include "report/stamp_text.h"

namespace ncclwhy {

std::string_view OutcomeWord(Outcome outcome, const Words& words) {
  // Pointers to members, in the order of the enumeration without its last value.
  constexpr std::string_view Words::*kWords[] = {&Words::succeeded, &Words::failed, &Words::hung, &Words::stopped};
  return outcome == Outcome::kUnknown ? std::string_view() : words.*kWords[static_cast<size_t>(outcome)];
}

namespace {

// How far a job came whose work nobody counts.
std::string_view StageClause(const Report& report, const Words& words) {
  // Of a job whose end nobody saw, or that went well, the stage says nothing.
  if (report.outcome == Outcome::kUnknown || report.outcome == Outcome::kSucceeded) return {};
  if (report.job.communicators.empty()) return {};
  const std::string& stage = report.job.communicators.front().stage;
  if (stage == "init") return words.in_init;
  return stage == "connected" || stage == "running" ? words.after_init : std::string_view();
}

// "20:18:52" of "2024-10-12 20:18:52,430", "[1012 20:18:52.430116]"; empty where it tells no time of day.
std::string_view TimeOfDay(std::string_view time) {
  constexpr std::string_view kForm = "DD:DD:DD";
  const auto fits = [&](size_t at) {
    for (size_t i = 0; i < kForm.size(); ++i) {
      if (kForm[i] == 'D' ? !IsDigit(time[at + i]) : time[at + i] != kForm[i]) return false;
    }
    // No digit beside it: 12:34:56 of 112:34:56 is none.
    return (at == 0 || !IsDigit(time[at - 1])) &&
           (at + kForm.size() == time.size() || !IsDigit(time[at + kForm.size()]));
  };
  for (size_t at = 0; at + kForm.size() <= time.size(); ++at) {
    if (fits(at)) return time.substr(at, kForm.size());
  }
  return {};
}

std::string WithoutFolder(std::string place, std::string_view folder) {
  if (place.starts_with(folder)) place.erase(0, folder.size());
  return place;
}

int Seconds(std::string_view time) {
  const auto two = [&](size_t at) { return (time[at] - '0') * 10 + (time[at + 1] - '0'); };
  return (two(0) * 60 + two(3)) * 60 + two(6);
}

// A sign that stands behind the end: the kernel's clock beside the program's. Half a day back is the next day.
bool EndsBefore(std::string_view over, std::string_view shown) {
  constexpr int kHalfADay = 12 * 3600;
  return Seconds(over) < Seconds(shown) && Seconds(shown) - Seconds(over) < kHalfADay;
}

// ", first sign at 09:50:22, end at 09:50:25": of the line that shows the cause, and of the end. Of clocks that stand
// apart the story tells.
std::string WhenClause(const Report& report, const Words& words) {
  std::string shown, over;
  for (const TimelineStep& step : report.timeline) {
    // The first root and the last ending: the time between is how long it took to die.
    if (step.kind == "root" && shown.empty()) shown = TimeOfDay(StampText(step.time));
    if (step.kind == "ending") over = TimeOfDay(StampText(step.time));
  }
  std::string out;
  if (!shown.empty() && !over.empty() && EndsBefore(over, shown)) shown = over;
  if (NamedCause(report) != nullptr && !shown.empty() && shown != over) {
    out += std::string(words.clause_separator) + Filled(words.shown_at, shown);
  }
  // Where clocks stand apart two times on two hosts would be compared.
  const bool later = !over.empty() && over != shown && report.clocks.empty();
  if (later) out += std::string(words.clause_separator) + Filled(words.over_at, over);
  return out;
}

}  // namespace

std::string HowFar(const Report& report, const Words& words, std::string_view folder) {
  const bool unknown = report.outcome == Outcome::kUnknown;
  // Dumps have bytes and no lines, and may still tell how it went.
  if (report.coverage.lines == 0 && (report.coverage.bytes == 0 || unknown)) return {};
  std::string out =
      unknown ? Counted(words.unknown, report.coverage.lines) : std::string(OutcomeWord(report.outcome, words));
  // A standstill that only a named cause lets suppose: it may have been cut off as well.
  if (report.outcome_inferred) out = words.hung_or_cut;
  const std::string_view how_far = report.progress.empty() ? StageClause(report, words) : report.progress;
  if (!how_far.empty()) out += std::string(words.clause_separator) + std::string(how_far);
  // Where a job can go on from, which who lost one asks first.
  if (report.checkpoint && report.outcome != Outcome::kSucceeded) {
    const Checkpoint& saved = *report.checkpoint;
    out += std::string(words.clause_separator) + std::string(saved.step.empty() ? words.saved : words.saved_step);
    out +=
        (saved.step.empty() ? "" : " " + saved.step) + Aside(WithoutFolder(FileLine(saved.file, saved.line), folder));
  }
  return out;
}

std::string OutcomeSentence(const Report& report, const Words& words, std::string_view folder) {
  std::string out = HowFar(report, words, folder);
  if (out.empty()) return out;
  // Of a failure it is the end of the chain (proof.h).
  const bool chain = report.verdict == Verdict::kFailure || report.verdict == Verdict::kUndetermined;
  if (chain) out += WhenClause(report, words);
  if (chain || report.outcome_evidence.empty()) return out;
  const OutcomeEvidence& shown = report.outcome_evidence.front();
  const std::string place = WithoutFolder(FileLine(shown.file, shown.line), folder);
  if (!shown.note.empty()) out += std::string(words.why_separator) + shown.note;
  return out + Aside(place);
}

}  // namespace ncclwhy

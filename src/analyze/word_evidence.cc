#include "analyze/word_evidence.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analyze/alarm_words.h"
#include "analyze/outcome_report.h"
#include "analyze/record_line.h"
#include "analyze/word_reading.h"
#include "base/mask_digits.h"
#include "base/text.h"
#include "job/aftermath.h"
#include "job/job_complaints.h"

namespace ncclwhy {
namespace {

// Margins from which on words are believed: beside a rule that knows no more than that a program broke (which, where
// the job had worked, is the answer more often than what words say), beside a cause that rules are not sure of, where
// something failed and nothing is known, and where nothing else says that anything failed. See
// tests/incidents/README.md.
constexpr double kBesideCrash = -0.3;
constexpr double kBesideCrashOfWork = -0.2;
constexpr double kBesideDoubt = -0.2;
constexpr double kBesideDoubtOfWork = 0.1;
constexpr double kOfFailure = -0.45;
constexpr double kAlone = -0.25;
constexpr double kAloneWithoutAlarm = 0;
// Below it a cause is in doubt: such causes are right in three of four failures that nobody had seen, words with a
// margin of -0.2 and more in 144 of 147.
constexpr double kSure = 0.86;
// By how much words lead such a cause, which stays as what else it could be.
constexpr double kLead = 0.4;
// What a margin is worth as log-odds: fitted on failures that the model had not seen, of which those with a margin of
// -0.4 are right in 50 %, of -0.25 in 75 %, of -0.15 in 87 %, from -0.1 on in 98 %.
constexpr double kBase = 2.6;
constexpr double kMarginWorth = 6.0;
constexpr double kLeast = 0.3;
constexpr double kMost = 2.4;
// One of the first three is right in nine of ten cases.
constexpr double kPossible = -0.75;
// Whoever quotes a failure quotes little else, and ends with it.
constexpr uint64_t kShort = 200;
constexpr uint32_t kNearTheEnd = 60;
// What a program says about its end stands beside it; where it had worked, others soon speak of what follows.
constexpr uint32_t kNearCrash = 40;
constexpr uint32_t kNearCrashOfWork = 3;
constexpr size_t kLeastWords = 2;
constexpr uint64_t kWorksOn = 3;  // beats of a pulse
constexpr std::string_view kInformation[] = {" - INFO - ", "[INFO]",      "[DEBUG]",   "| INFO ",
                                             " INFO: ",    " - DEBUG - ", "level=info"};

using Line = std::pair<uint32_t, uint32_t>;  // source, line

bool IsReasonless(const CaseFile& c, const Finding& f) {
  bool any = false;
  for (const Weight& w : f.causes) {
    if (w.log_odds <= 0) continue;
    if (!c.kb.TraitsOf(w.cause).reasonless) return false;
    any = true;
  }
  return any;
}

// Whether a rule knows no more of a line than that somebody complains in it: the words are left to be read.
bool LeavesWords(const EvidenceItem& item) {
  return item.rule != nullptr && (item.rule->last_resort || item.rule->says_why);
}

// That somebody's log just ends, or that he is late, is told by what others lack, not by a line: it gives way, too, to
// whoever says why he broke.
bool TellsOfSilence(const CaseFile& c, const EvidenceItem& item) {
  if (item.rule == nullptr || item.rule->query.empty() || item.finding.causes.empty()) return false;
  return std::all_of(item.finding.causes.begin(), item.finding.causes.end(), [&](const Weight& w) {
    const CauseTraits traits = c.kb.TraitsOf(w.cause);
    return w.log_odds <= 0 || traits.reasonless || traits.waits;
  });
}

// The lines at which a program says that it broke, and why in words that no rule reads, of the cause that is named for
// them. What else is evidence for it (a pod in state Error, an exit code) says less than they do.
std::vector<const Finding*> Crashes(const CaseFile& c, const Hypothesis& h) {
  std::vector<const Finding*> out;
  for (const size_t n : h.evidence) {
    const EvidenceItem& item = c.items[n];
    if (IsReasonless(c, item.finding) && item.finding.line > 0 && LeavesWords(item)) out.push_back(&item.finding);
  }
  return out;
}

bool IsNear(const std::vector<const Finding*>& crashes, const Complaint& said, uint32_t near) {
  return std::any_of(crashes.begin(), crashes.end(), [&](const Finding* f) {
    const uint32_t line = f->line;
    return f->source == said.source && said.line + near >= line && said.line <= line + near;
  });
}

// Whether a rule says of a line why something broke, rather than that it did: not of an exit code 137, behind which a
// memory limit may stand, but mostly does not. One that is this sure knows the line, though the cause gives no reason:
//   FileNotFoundError: [Errno 2] No such file or directory: 'out/tmp-checkpoint-200' -> 'out/checkpoint-200'
//   two ranks renamed it
bool KnowsWhy(const CaseFile& c, const EvidenceItem& item) {
  constexpr double kKnows = 2.8;
  const Finding& f = item.finding;
  const auto most = std::max_element(f.causes.begin(), f.causes.end(),
                                     [](const Weight& a, const Weight& b) { return a.log_odds < b.log_odds; });
  if (most == f.causes.end() || most->log_odds <= 0) return false;
  return !c.kb.TraitsOf(most->cause).reasonless ||
         (f.role == Role::kRoot && !LeavesWords(item) && most->log_odds >= kKnows);
}

// Lines of which a rule says what they come from. Last resorts guess it.
std::set<Line> ReadByRules(const CaseFile& c, bool and_guesses) {
  std::set<Line> out;
  for (const EvidenceItem& item : c.items) {
    const Finding& f = item.finding;
    const bool reads = and_guesses || item.rule == nullptr || !item.rule->last_resort;
    if (f.line > 0 && reads && KnowsWhy(c, item)) out.insert({{f.source.value, f.line}, {f.source.value, f.last_line}});
  }
  return out;
}

// Lines of which a rule knows that they are harmless, tell of somebody else's failure or follow from another line, that
// were overcome, or that are no more than a class ("unhandled system error"). That "a program says" something wrong
// (RuntimeError: interface or hostname can't be empty) judges no word of it.
std::set<Line> Judged(const CaseFile& c) {
  std::set<Line> out;
  for (const EvidenceItem& item : c.items) {
    const Finding& f = item.finding;
    const bool others = f.role == Role::kSecondary && !LeavesWords(item);
    // Command terminated by signal 11: how something ended, in the words of whoever saw it.
    const bool ending = item.rule != nullptr && item.rule->sign.life == Life::kEnding &&
                        item.rule->sign.how != Ending::kException && !LeavesWords(item);
    const bool beside =
        others || ending || f.role == Role::kBenign || item.survived || item.consequence || IsBareClass(f);
    if (f.line > 0 && beside) out.insert({{f.source.value, f.line}, {f.source.value, f.last_line}});
  }
  return out;
}

// A line that a rule knows to be harmless, or to follow from another, comes again with other numbers, of which only the
// first and the last are kept.
std::set<std::string> HarmlessTexts(const CaseFile& c) {
  std::set<std::string> out;
  std::string room;
  for (const EvidenceItem& item : c.items) {
    const Finding& f = item.finding;
    const bool follows = f.role == Role::kSecondary && !LeavesWords(item);
    if (item.rule == nullptr || f.line == 0 || (f.role != Role::kBenign && !follows)) continue;
    out.emplace(MaskDigits(f.text, &room));
    if (!f.last_text.empty()) out.emplace(MaskDigits(f.last_text, &room));
  }
  return out;
}

bool IsShort(const JobModel& model) {
  uint64_t lines = 0;
  for (const SourceFacts* facts : model.sources) lines += facts->counters.Get(Counter::kLines);
  return lines <= kShort;
}

bool AtTheEnd(const JobModel& model, const Complaint& c) {
  return c.line + kNearTheEnd >= model.sources[c.source.value]->counters.Get(Counter::kLines);
}

// NCCL's own lines are read one and all, and what became of its ranks is known without words.
bool HasNccl(const JobModel& model) {
  return std::any_of(model.sources.begin(), model.sources.end(),
                     [](const SourceFacts* facts) { return facts->counters.Get(Counter::kNccl) > 0; });
}

// Beside what words are to be believed, and from which margin on.
struct WordTrust {
  enum class Beside { kNothing, kCrash, kDoubt, kEcho, kExcerpt };
  Beside beside = Beside::kNothing;
  double least = 0;
};

std::optional<WordTrust> TrustInWords(const CaseFile& c, const OutcomeReading& outcome, const Ranking& ranking) {
  using Beside = WordTrust::Beside;
  if (outcome.outcome == Outcome::kSucceeded) return std::nullopt;
  const bool nccl = HasNccl(c.model);
  const bool named = !ranking.hypotheses.empty() && ranking.hypotheses[0].probability >= kNameThreshold;
  const bool failed = ranking.failed || EndedBadly(outcome);
  if (failed && named) {
    const Hypothesis& first = ranking.hypotheses[0];
    if (c.kb.TraitsOf(first.cause).reasonless)
      return WordTrust{Beside::kCrash, outcome.worked ? kBesideCrashOfWork : kBesideCrash};
    if (nccl || first.confidence >= kSure) return std::nullopt;
    return WordTrust{Beside::kDoubt, outcome.worked ? kBesideDoubtOfWork : kBesideDoubt};
  }
  if (failed) return WordTrust{Beside::kNothing, kOfFailure};
  if (ranking.echoes && !nccl) return WordTrust{Beside::kEcho, kOfFailure};
  if (outcome.outcome != Outcome::kUnknown || outcome.worked || nccl || !IsShort(c.model)) return std::nullopt;
  return WordTrust{Beside::kExcerpt, kAlone};
}

// Which words is nobody's to read: they prove nothing by themselves.
std::string NoteOf(const CaseFile& c) { return c.chinese() ? "据其用词判断" : "judged by its words"; }

// A line of a program's text that a traceback quotes: it says what could go wrong, not what did.
//       if i == 5: raise RuntimeError("CUDA error: out of memory")
bool IsQuotedCode(const JobModel& model, const Complaint& said) {
  constexpr std::string_view kIndent = "    ";
  constexpr uint32_t kLongestTraceback = 60;
  if (!said.text.starts_with(kIndent)) return false;
  const std::vector<Event>& events = model.sources[said.source.value]->events;
  return std::any_of(events.begin(), events.end(), [&](const Event& e) {
    return e.kind == EventKind::kPythonException && e.line > said.line && e.line <= said.line + kLongestTraceback;
  });
}

// What torch says of NCCL's error classes, whichever failure it was:
//   ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.
bool IsExplainedClass(const Complaint& said) {
  const std::string_view name = said.text.substr(0, said.text.find(": "));
  return name.starts_with("nccl") && name.size() < said.text.size() && std::all_of(name.begin(), name.end(), IsAlpha) &&
         (name.ends_with("Error") || name.ends_with("Usage") || name.ends_with("Argument"));
}

// What somebody is warned of, by a class of Python's or for a later version: nothing has failed by it.
//   image.py:13: UserWarning: Failed to load image Python extension
//     warnings.warn('PyTorch is not compiled with NCCL support')
//   Warning: environment variable 'KOKKOS_NUM_DEVICES' is deprecated. Use 'KOKKOS_MAP_DEVICE_ID_BY=mpi_rank' instead.
bool IsWarning(const Complaint& said) {
  const size_t at = said.text.find("Warning: ");
  const std::string_view words =
      std::string_view(said.text).substr(std::min(said.text.find_first_not_of(' '), said.text.size()));
  return (at != std::string_view::npos && at > 0 && IsAlpha(said.text[at - 1])) || words.starts_with("warn(") ||
         words.starts_with("warnings.warn(") || said.text.find("eprecat") != std::string_view::npos;
}

// What somebody should do if something happens, which has not, or what might come of it.
//   You are using a model of type llama to instantiate a model of type llava. This … can yield errors.
//   CUDA graphs can take additional 1~3 GiB memory per GPU. If you are running out of memory, consider decreasing …
bool IsAdvice(const Complaint& said) {
  constexpr std::string_view kWords[] = {"If you are ",  "If you run ",   "If you see ", "if you run ",
                                         ", consider ",  "You can also ", "can yield ",  "may cause ",
                                         "might cause ", "could cause ",  "can cause ",  "would run out",
                                         "Tip: ",        "Hint: ",        "see docs: "};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return said.text.find(word) != std::string_view::npos; });
}

// A frame of a stack, with its address behind it: names of functions sound like anything.
//   [n118:1159290] [ 1] /lib/x86_64-linux-gnu/libc.so.6(pthread_kill+0x11c)[0x7f79e2238b2c]
bool IsFrame(const Complaint& said) {
  const size_t address = said.text.rfind("[0x");
  return address != std::string::npos && said.text.ends_with(']') && said.text.find("+0x") < address;
}

// What a logger calls information is no complaint, however it sounds.
//   distributed.core - INFO - Event loop was unresponsive in Worker for 12.41s.
bool IsInformation(const Complaint& said) {
  constexpr size_t kHead = 80;
  const std::string_view head = said.text.substr(0, kHead);
  return std::any_of(std::begin(kInformation), std::end(kInformation),
                     [&](std::string_view mark) { return head.find(mark) != std::string_view::npos; });
}

// What sounds wrong, of which no rule knows that it is beside the point, and behind which no work went on.
std::vector<Complaint> OpenComplaints(const CaseFile& c) {
  const std::set<Line> judged = Judged(c);
  const std::set<std::string> harmless = HarmlessTexts(c);
  std::string room;
  const Aftermath aftermath(c.model);
  std::vector<Complaint> out = ComplaintsOf(c.model);
  std::erase_if(out, [&](const Complaint& x) {
    return judged.contains({x.source.value, x.line}) || harmless.contains(std::string(MaskDigits(x.text, &room))) ||
           IsRecord(x.text) || IsQuotedCode(c.model, x) || IsExplainedClass(x) || IsWarning(x) || IsInformation(x) ||
           IsFrame(x) || IsAdvice(x) || aftermath.Of(x.source, x.line, x.process).beats >= kWorksOn;
  });
  return out;
}

// Words that tell little by themselves tell something together: numbers, words of two letters, a word that a pair
// repeats ("valueerror no", "valueerror") and one beside its plural ("gpu", "gpus") do not count.
bool TellsEnough(const WordReading& reading) {
  constexpr size_t kShortestWord = 3;
  std::set<std::string_view> told;
  for (const std::string& feature : reading.words) {
    for (std::string_view word : SplitWords(feature)) {
      if (word.size() > kShortestWord && word.back() == 's') word.remove_suffix(1);
      const bool is_other = (word[0] & 0x80) != 0;
      if (is_other || (!IsDigit(word[0]) && word.size() >= kShortestWord)) told.insert(word);
    }
  }
  return told.size() >= kLeastWords;
}

std::vector<WordReading> Read(const std::vector<Complaint>& complaints, const KnowledgeBase& kb) {
  std::vector<std::string_view> sentences;
  for (const Complaint& c : complaints) sentences.push_back(c.text);
  std::vector<WordReading> readings = ReadWords(sentences, kb);
  std::erase_if(readings, [](const WordReading& reading) { return !TellsEnough(reading); });
  return readings;
}

EvidenceItem ItemOf(const CaseFile& c, const WordReading& reading, double weight, const Complaint& said) {
  EvidenceItem item;
  item.name = std::string(kWordEvidencePrefix) + reading.cause;
  item.note = NoteOf(c);
  Finding& f = item.finding;
  f.message = item.name;
  f.role = Role::kSymptom;
  f.causes = {{reading.cause, weight}};
  f.source = said.source;
  f.line = f.last_line = said.line;
  f.text = said.text;
  f.anybodys = true;
  f.process = said.process;
  f.rank = c.model.RankOf(said.process);
  if (said.process.valid()) f.host = std::string(c.model.processes[said.process.value].host);
  return item;
}

}  // namespace

std::vector<EvidenceItem> WordEvidence(const CaseFile& c, const OutcomeReading& outcome, const Ranking& ranking,
                                       std::vector<EvidenceItem>& items) {
  using Beside = WordTrust::Beside;
  const std::optional<WordTrust> trust = TrustInWords(c, outcome, ranking);
  if (!trust) return {};
  std::vector<Complaint> complaints = OpenComplaints(c);
  const bool beside_crash = trust->beside == Beside::kCrash;
  const bool named = beside_crash || trust->beside == Beside::kDoubt;
  if (named) {
    const std::set<Line> read = ReadByRules(c, beside_crash);
    std::erase_if(complaints, [&](const Complaint& x) { return read.contains({x.source.value, x.line}); });
  }
  if (beside_crash) {
    // Whoever quotes a failure quotes what belongs to it.
    if (outcome.worked || HasNccl(c.model) || !IsShort(c.model)) {
      const std::vector<const Finding*> crashes = Crashes(c, ranking.hypotheses[0]);
      const uint32_t near = outcome.worked ? kNearCrashOfWork : kNearCrash;
      std::erase_if(complaints, [&](const Complaint& x) { return !IsNear(crashes, x, near); });
    }
  }
  std::vector<WordReading> readings = Read(complaints, c.kb);
  // Who has worked was started.     step 471 …   [rank13]: KeyError: None
  std::erase_if(readings,
                [&](const WordReading& reading) { return outcome.worked && c.kb.TraitsOf(reading.cause).before_work; });
  if (readings.empty() || readings[0].margin < trust->least) return {};
  const WordReading& best = readings[0];
  const Complaint& most = complaints[best.telling[0]];
  const CauseTraits traits = c.kb.TraitsOf(best.cause);
  if (traits.kind == CauseKind::kNone || traits.kind == CauseKind::kSlow || traits.reasonless || traits.by_rule) {
    return {};
  }
  // That somebody is late is told by what others lack, not by the words of those who wait for him.
  //   Watchdog caught collective operation timeout: WorkNCCL(SeqNum=412, …) ran for 600043 milliseconds
  if (traits.waits && (named || HasNccl(c.model))) return {};
  if (named && (traits.kind != CauseKind::kFault || best.cause == ranking.hypotheses[0].cause)) return {};
  if (beside_crash) {
    for (EvidenceItem& item : items) {
      if (IsReasonless(c, item.finding) || TellsOfSilence(c, item)) item.consequence = true;
    }
  }
  // memory(kbytes)  unlimited     sounds of something, but of no failure
  if (trust->beside == Beside::kExcerpt) {
    const bool sounds = best.margin >= kAloneWithoutAlarm || AlarmOf(most.text) != 0;
    if (!sounds || !AtTheEnd(c.model, most)) return {};
  }
  double weight = std::clamp(kBase + kMarginWorth * best.margin, kLeast, kMost);
  if (trust->beside == Beside::kDoubt) {
    const auto known = std::find_if(ranking.hypotheses.begin(), ranking.hypotheses.end(),
                                    [&](const Hypothesis& h) { return h.cause == best.cause; });
    const double already = known == ranking.hypotheses.end() ? 0 : std::max(0.0, known->score);
    weight = std::max(weight, ranking.hypotheses[0].score + kLead - already);
  }
  std::vector<EvidenceItem> out;
  for (const size_t number : best.telling) out.push_back(ItemOf(c, best, weight, complaints[number]));
  return out;
}

std::vector<Hypothesis> PossibleByWords(const CaseFile& c, const std::vector<Hypothesis>& known) {
  std::vector<Hypothesis> out;
  for (const WordReading& reading : Read(OpenComplaints(c), c.kb)) {
    const CauseKind kind = c.kb.TraitsOf(reading.cause).kind;
    const bool is_known =
        std::any_of(known.begin(), known.end(), [&](const Hypothesis& h) { return h.cause == reading.cause; });
    if (is_known || c.kb.TraitsOf(reading.cause).by_rule || kind == CauseKind::kNone || kind == CauseKind::kSlow ||
        reading.margin < kPossible)
      continue;
    Hypothesis h;
    h.cause = reading.cause;
    h.probability = 1 / (1 + std::exp(-kBase - kMarginWorth * reading.margin));
    out.push_back(std::move(h));
  }
  return out;
}

}  // namespace ncclwhy

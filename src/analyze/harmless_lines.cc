#include "analyze/harmless_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "analyze/alarm_words.h"
#include "base/limits.h"
#include "base/text.h"
#include "parser/pulse_words.h"
#include "rules/engine/hit_index.h"

namespace ncclwhy {
namespace {

// What stands right in front of the failure belongs to it, wherever else it is said.
constexpr uint32_t kBefore = 8;
std::set<std::string> SaidBefore(const CaseFile& c, const std::set<std::pair<std::string, uint64_t>>& failure) {
  std::set<std::string> said;
  for (const EvidenceItem& item : c.items) {
    const Finding& f = item.finding;
    if (!f.source.valid() || f.line == 0) continue;
    // Places of the failure, by file and line: what follows next in the same file.
    const auto next = failure.upper_bound({c.model.sources[f.source.value]->name, f.line});
    const bool close = next != failure.end() && next->first == c.model.sources[f.source.value]->name &&
                       next->second - f.line <= kBefore;
    if (close) said.insert(f.text);
  }
  return said;
}

// An alarm behind which the job went on. That somebody ended, if only an earlier attempt, is never called harmless.
bool GotOver(const EvidenceItem& item) {
  const Role role = item.finding.role;
  const bool alarm = role == Role::kRoot || role == Role::kSymptom || role == Role::kSecondary;
  const Life life = item.rule != nullptr ? item.rule->sign.life : Life::kNone;
  return (alarm || life == Life::kStumble) && item.survived && life != Life::kEnding;
}

// "NET/IB : No device found." is none of the harmless lines where ib.no-device is the answer.
bool IsOfTheCause(const EvidenceItem& item, const Report& report) {
  if (report.causes.empty()) return false;
  // `ib.no-device` is of the family ib, which lines of NCCL write as IB: NET/IB, libibverbs.
  const std::string& id = report.causes.front().id;
  const std::string family = id.substr(0, id.find('.'));
  std::string upper = family;
  for (char& c : upper) c = IsLower(c) ? static_cast<char>(c & ~0x20) : c;
  const std::string_view text = item.finding.text;
  const auto word = [&](size_t at) {
    const size_t end = at + upper.size();
    return (at == 0 || !IsAlnum(text[at - 1])) && (end == text.size() || !IsAlnum(text[end]));
  };
  bool named = text.find("lib" + family) != std::string_view::npos;
  for (size_t at = text.find(upper); !named && at != std::string_view::npos; at = text.find(upper, at + 1)) {
    named = word(at);
  }
  return named || (item.rule != nullptr && item.rule->family == family);
}

// Of a process, by a pulse that counts each: ", 11 more steps". Empty where none does.
std::string StepsBehind(const CaseFile& c, const Finding& f) {
  const PulseFacts* best = nullptr;
  const SourceFacts& facts = *c.model.sources[f.source.value];
  for (const PulseFacts& p : facts.pulses) {
    const auto beats = static_cast<double>(p.beats.count);
    const double grew = p.last_value - p.first_value;
    // A pulse that grows by one with each beat: its beats are steps.
    const bool counts_each = p.beats.every == 1 && p.peaks.empty() && (grew == beats || grew + 1 == beats);
    const ProcessId own = c.model.ProcessOf(f.source, p.process, -1);
    if (!counts_each || (f.process.valid() && own != f.process) || WorkUnitOf(facts.Str(p.name)) == nullptr) continue;
    // The one that beat most of those: the finest count.
    if (best == nullptr || best->beats.count < p.beats.count) best = &p;
  }
  const uint64_t steps = best == nullptr ? 0 : best->beats.After(f.line);
  if (steps == 0) return {};
  const WorkUnit& unit = *WorkUnitOf(facts.Str(best->name));
  if (c.chinese()) return fmt::format("，此后又完成 {} {}", steps, unit.zh);
  return fmt::format(", {} more {}", steps, steps == 1 ? unit.one : unit.many);
}

// A line that may have to be told, and why it is not it.
struct Candidate {
  const EvidenceItem* item;
  std::string why;  // empty: what its note says
  bool got_over = false;
  int alarm = 0;
};

std::string_view KindOf(const EvidenceItem& item) { return item.rule != nullptr ? item.name : item.note; }

// INFO of NCCL that healthy jobs print, too, is not taken for the failure; what the program itself caught is.
int LoudnessOf(const Candidate& each) {
  const bool info = each.item->info && each.item->finding.role == Role::kBenign;
  const bool stumble = each.got_over && each.item->rule != nullptr && each.item->rule->sign.life == Life::kStumble;
  // Such a line has an exception in it, and looks as bad as any.
  return info ? 0 : stumble ? std::max(each.alarm, kAlarming) : each.alarm;
}

// The lower, the sooner a reader stops at it.
std::pair<int, int> Calm(const Candidate& each) {
  const bool benign = each.item->finding.role == Role::kBenign;
  return {-LoudnessOf(each), benign ? 1 : 0};
}

// The first line that is quoted for the cause.
const Evidence* FailureOf(const Report& report) {
  if (report.verdict != Verdict::kFailure || report.causes.empty()) return nullptr;
  for (const Evidence& e : report.causes.front().evidence) {
    if (e.role == "direct" && e.line > 0) return &e;
  }
  return nullptr;
}

// A launcher names whom it saw end first. That is seldom who began, and where it never names that one, a reader is led
// astray:
//   Root Cause (first observed failure): … rank      : 3 (local_rank: 3)
std::vector<Candidate> NamedByLaunchers(const CaseFile& c, const Report& report) {
  std::vector<Candidate> out;
  if (FailureOf(report) == nullptr) return out;
  // By rank, else by host.
  std::set<std::string> began;
  bool by_rank = false;
  for (const Culprit& each : report.causes.front().culprits) {
    by_rank = by_rank || each.rank >= 0;
    began.insert(each.rank >= 0 ? std::to_string(each.rank) : std::string(ShortHost(each.host)));
  }
  // Ranks and hosts mixed, or several ranks: a launcher's name can be compared with none of them.
  if (began.empty() || began.contains("") || (by_rank && began.size() > 1)) return out;
  std::map<std::string_view, const EvidenceItem*> first;  // by rule
  for (const EvidenceItem& item : c.items) {
    const Finding& f = item.finding;
    if (item.rule == nullptr || item.survived || f.line == 0 || !f.source.valid()) continue;
    if (item.rule->sign.life != Life::kEnding || item.rule->sign.of != SignOf::kNamed) continue;
    const std::string named(by_rank ? f.Field("culprit_rank") : ShortHost(f.Field("culprit_host")));
    if (named.empty()) continue;
    if (began.contains(named)) return {};  // somebody tells it
    first.try_emplace(item.name, &item);
  }
  for (const auto& [rule, item] : first) {
    const std::string_view why =
        c.chinese() ? "启动器点名的是它最先看到结束的，而不是起因" : "whom its launcher saw end first, not who began";
    out.push_back({item, std::string(why), false, kAlarming});
    break;
    // One of them is enough: they all say the same.
  }
  return out;
}

// What follows from the cause and would be taken for it.
//   *** STEP 41.0 ON node1 CANCELLED AT …     rank 1: step watchdog: no progress, in front of the failure of rank 2
std::vector<Candidate> Followers(const CaseFile& c, const Report& report) {
  std::vector<Candidate> out;
  const Evidence* failure = FailureOf(report);
  if (failure == nullptr) return out;
  const Cause& cause = report.causes.front();
  const bool standstill = c.kb.TraitsOf(cause.id).waits;
  std::set<int32_t> culprits;
  for (const Culprit& each : cause.culprits) culprits.insert(each.rank);
  std::set<std::pair<std::string, uint64_t>> consequences, quoted;
  for (const Evidence& each : cause.evidence) quoted.emplace(each.file, each.line);
  for (const Consequence& each : report.consequences) consequences.emplace(each.file, each.line);
  for (const EvidenceItem& item : c.items) {
    const Finding& f = item.finding;
    if (item.rule == nullptr || f.line == 0 || !f.source.valid() || item.survived) continue;
    const std::string& file = c.model.sources[f.source.value]->name;
    const int alarm = AlarmOf(f.text);
    // A line without any word of alarm takes nobody in.
    if (alarm == 0 || quoted.contains({file, f.line})) continue;
    const std::string_view follows = c.chinese() ? item.rule->follows_zh : item.rule->follows_en;
    const bool listed = consequences.contains({file, f.line});
    const bool of_it = f.SpeaksFor(cause.id) > 0;  // *** JOB 889 … CANCELLED *** where somebody did cancel it
    // The rule itself has a sentence for what its line is when it follows.
    if (!follows.empty() && !of_it && (item.consequence || f.role == Role::kSecondary)) {
      out.push_back({&item, std::string(follows), false, alarm});
      continue;
    }
    // Of a cause that is a standstill they are what shows it.
    const bool own = f.rank >= 0 && culprits.contains(f.rank);
    const bool waits = item.rule->sign.life == Life::kWaiting && !standstill && !own;
    const bool of_peer = listed && f.role == Role::kSecondary && f.rank >= 0 && !own;
    // In the same file and in front of the failure: there a reader stops first.
    if (file != failure->file || f.line >= failure->line || alarm < kAlarming || (!waits && !of_peer)) continue;
    const std::string_view why = c.chinese() ? (waits ? "它只是在等待" : "虽在前面，却只是后果")
                                 : waits     ? "it only waited"
                                             : "it stands in front and only follows";
    out.push_back({&item, std::string(why), false, alarm});
  }
  return out;
}

// What healthy jobs print, too, and what the job went on behind.
std::vector<Candidate> Survivors(const CaseFile& c, const Report& report,
                                 const std::set<std::pair<std::string, uint64_t>>& quoted) {
  std::set<std::pair<std::string, uint64_t>> failure;
  if (!report.causes.empty()) {
    for (const Evidence& e : report.causes.front().evidence) failure.emplace(e.file, e.line);
  }
  const std::set<std::string> before = SaidBefore(c, failure);
  std::set<std::string_view> kinds;  // of quoted lines: what is told of one is told of all
  const auto is_quoted = [&](const Finding& f) {
    return f.source.valid() && quoted.contains({c.model.sources[f.source.value]->name, f.line});
  };
  for (const EvidenceItem& item : c.items) {
    // A kind of which a line is shown as evidence is never called harmless.
    if (is_quoted(item.finding)) kinds.insert(KindOf(item));
  }
  std::vector<Candidate> out;
  for (const EvidenceItem& item : c.items) {
    const Finding& f = item.finding;
    const bool got_over = GotOver(item);
    const bool stumble = got_over && item.rule != nullptr && item.rule->sign.life == Life::kStumble;
    const bool harmless = stumble || ((f.role == Role::kBenign || got_over) && !IsOfTheCause(item, report));
    if (!harmless || f.line == 0 || !f.source.valid() || before.contains(f.text)) continue;
    if (is_quoted(f) || kinds.contains(KindOf(item))) continue;
    const int alarm = AlarmOf(f.text);
    if (alarm == 0) continue;
    Candidate each{&item, {}, got_over, alarm};
    if (got_over && !stumble) each.why = c.chinese() ? "此后作业仍在继续" : "the job went on behind it";
    out.push_back(std::move(each));
  }
  return out;
}

}  // namespace

void TellHarmless(const CaseFile& c, Report* report) {
  std::set<std::pair<std::string, uint64_t>> quoted;
  for (const Cause& cause : report->causes) {
    for (const Evidence& e : cause.evidence) quoted.emplace(e.file, e.line);
  }
  for (const Consequence& item : report->consequences) quoted.emplace(item.file, item.line);
  std::vector<Candidate> candidates = Survivors(c, *report, quoted);
  // Appended behind: of equal alarm what survived stands in front.
  for (Candidate& each : Followers(c, *report)) candidates.push_back(std::move(each));
  for (Candidate& each : NamedByLaunchers(c, *report)) candidates.push_back(std::move(each));
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return Calm(a) < Calm(b); });
  std::map<std::string_view, size_t> by_kind;
  std::set<std::pair<uint32_t, uint32_t>> told;  // several rules may speak of one line
  for (const Candidate& each : candidates) {
    const Finding& f = each.item->finding;
    if (!told.emplace(f.source.value, f.line).second) continue;
    const auto [it, fresh] = by_kind.try_emplace(KindOf(*each.item), report->harmless.size());
    // A kind that has its entry only counts; behind the limit it is left out.
    if (!fresh || report->harmless.size() >= limits::kHarmlessLines) {
      if (it->second < report->harmless.size()) report->harmless[it->second].count += 1 + f.repeats;
      continue;
    }
    Evidence e = ItemEvidence(c, *each.item, "supporting");
    std::string why = each.why.empty() ? e.note : each.why;
    if (each.got_over && !why.empty()) why += StepsBehind(c, f);
    report->harmless.push_back(
        {std::move(e.file), e.line, std::move(e.text), std::move(why), 1 + f.repeats, each.got_over, LoudnessOf(each)});
  }
}

}  // namespace ncclwhy

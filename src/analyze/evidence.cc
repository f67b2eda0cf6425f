#include "analyze/evidence.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analyze/message_rules.h"
#include "base/launcher_tags.h"
#include "base/text.h"
#include "job/rank_in_text.h"

namespace ncclwhy {
namespace {

// The id of a warning that no entry of the catalogue knows.
constexpr char kUnknownWarning[] = "message.unknown-warning";
// Beats of a pulse that others may still make when one has died.
constexpr uint64_t kWorksOn = 3;
// Lines that may follow the complaint of which a program ends.
constexpr uint64_t kLastWords = 25;
// New things that a program has said: more than an excerpt of its last words.
constexpr uint64_t kToldMuch = 5;

Finding FromCatalogue(const JobModel& model, SourceId source, const SourceFacts& facts, const CatalogHit& hit,
                      const MessageKnowledge& message) {
  Finding f;
  // The message speaks for whatever the catalogue says; a rule speaks for its weights.
  f.role = RoleOf(message.meaning);
  f.causes = WeightsOf(message);
  f.source = source;
  f.line = hit.line;
  f.offset = hit.offset;
  f.process = model.ProcessOf(source, hit.process, hit.launcher_rank);
  f.rank = model.RankOf(f.process);
  if (f.process.valid()) f.host = std::string(model.processes[f.process.value].host);
  f.text = std::string(facts.Str(hit.text));
  // Without a level: printed by anybody, as the kernel's lines are.
  f.anybodys = message.level == "NONE";
  f.repeats = hit.repeats;
  return f;
}

// A WARN of a release or build that the catalogue does not know yet: something was worth a warning.
EvidenceItem UnknownWarning(const JobModel& model, SourceId source, const SourceFacts& facts, const CatalogHit& hit,
                            Language language) {
  MessageKnowledge unknown;
  unknown.meaning = MessageMeaning::kSymptom;
  EvidenceItem item;
  item.name = kUnknownWarning;
  item.note = language == Language::kChinese ? "本版本的知识库不认识的警告" : "a warning that is not in the catalogue";
  item.finding = FromCatalogue(model, source, facts, hit, unknown);
  item.finding.message = item.name;
  return item;
}

// Where several ranks speak, as in a launcher's standard output, a line that names nobody is not for sure of the one
// process whose headers stand around it.
//   node1:411:411 [0] NCCL INFO …      terminate called …      [Rank 3] Watchdog caught …
void LeaveToNobody(const JobModel& model, std::vector<EvidenceItem>& items) {
  std::map<uint32_t, std::set<int32_t>> ranks;  // by source
  for (const EvidenceItem& i : items) {
    if (i.finding.rank >= 0 && i.finding.source.valid()) ranks[i.finding.source.value].insert(i.finding.rank);
  }
  for (EvidenceItem& i : items) {
    Finding& f = i.finding;
    if (!f.inferred || !f.process.valid() || !f.source.valid() || ranks[f.source.value].size() < 2) continue;
    const int32_t said = RankInText(f.text);
    if (said >= 0 && said == model.RankOf(f.process)) continue;
    f.process = {};
    f.rank = said;
    f.host.clear();
  }
}

}  // namespace

std::vector<EvidenceItem> CollectEvidence(const JobModel& model, const std::vector<SourceDigest>& digests,
                                          const RuleSet& rules, const KnowledgeBase& kb, Language language,
                                          std::vector<Finding> findings) {
  std::vector<EvidenceItem> items;
  std::set<std::pair<uint32_t, uint32_t>> spoken;  // (source, line) of rule findings that judge the line
  for (Finding& f : findings) {
    // `[1,3]<stderr>:` in the middle of a text, where a launcher has cut its line.
    DropLauncherTags(&f.text);
    for (auto& [name, value] : f.fields) DropLauncherTags(&value);
    EvidenceItem item;
    item.rule = &rules.rule(f.rule);
    item.name = item.rule->id;
    const bool zh = language == Language::kChinese;
    item.note = zh && !item.rule->note_zh.empty() ? item.rule->note_zh : item.rule->note_en;
    if (item.note.empty()) item.note = zh && !item.rule->title_zh.empty() ? item.rule->title_zh : item.rule->title_en;
    // Context judges nothing: the catalogue may still say what the line means.
    if (f.source.valid() && f.line > 0 && f.role != Role::kContext) {
      spoken.emplace(f.source.value, f.line);
    }
    item.finding = std::move(f);
    items.push_back(std::move(item));
  }
  // Repeats of a finding are folded; so is what the catalogue says about the same message of the same process.
  // A message is judged for the whole process: its repeats stand in other lines.
  std::set<std::tuple<uint32_t, uint32_t, int>> judged;  // (source, process, message)
  for (uint32_t s = 0; s < digests.size(); ++s) {
    for (const CatalogHit& hit : digests[s].catalog) {
      const bool known = hit.message != kUnknownMessage;
      if (known && spoken.contains({s, hit.line})) judged.emplace(s, hit.process, hit.message);
    }
  }
  std::map<std::pair<int, std::string_view>, MessageKnowledge> known;  // by message and version
  for (uint32_t s = 0; s < digests.size(); ++s) {
    for (const CatalogHit& hit : digests[s].catalog) {
      // The rule has judged the first line of that message; its meaning holds for the others.
      if (judged.contains({s, hit.process, hit.message})) continue;
      if (hit.message == kUnknownMessage) {
        if (!spoken.contains({s, hit.line}))
          items.push_back(UnknownWarning(model, SourceId{s}, digests[s].facts, hit, language));
        continue;
      }
      const ProcessId process = model.ProcessOf(SourceId{s}, hit.process, hit.launcher_rank);
      const std::string_view version = process.valid() ? model.processes[process.value].nccl_version : "";
      // By version: the same words may mean another thing in another release.
      const auto [it, fresh] = known.try_emplace({hit.message, version});
      if (fresh) it->second = kb.Message(hit.message, version, language);
      const MessageKnowledge& message = it->second;
      EvidenceItem item;
      item.name = MessageRuleId(message);
      item.note = message.note;
      item.info = message.level != "WARN";
      item.finding = FromCatalogue(model, SourceId{s}, digests[s].facts, hit, message);
      // Context of the catalogue is no evidence for any cause; what a rule of the user judges is the rule's.
      if (item.finding.role == Role::kContext || rules.rules().Has(item.name)) continue;
      item.finding.message = item.name;
      items.push_back(std::move(item));
    }
  }
  LeaveToNobody(model, items);
  return items;
}

namespace {

// Processes with the line at which they ended badly themselves, by source.
using BadEnds = std::map<std::pair<uint32_t, uint32_t>, uint32_t>;
BadEnds BadEndsOf(const OutcomeReading& outcome, const std::vector<EvidenceItem>& items) {
  const std::set<size_t> bad(outcome.bad.begin(), outcome.bad.end());
  BadEnds out;
  for (const EvidenceItem& i : items) {
    const Finding& f = i.finding;
    const bool ended = i.sign >= 0 && i.rule->sign.life == Life::kEnding && i.rule->sign.of == SignOf::kSelf &&
                       bad.contains(static_cast<size_t>(i.sign));
    // An inferred process could be any that prints through the same stream.
    if (!ended || !f.process.valid() || !f.source.valid() || f.inferred) continue;
    uint32_t& line = out[{f.source.value, f.process.value}];
    line = std::max(line, f.line);
  }
  return out;
}

// An alarm behind which work goes on. What a query compares stands in no line of its own. That others work on, rank 0
// at its data while it waits, overcomes nothing of one who ended badly right behind it.
bool WorksOn(const Aftermath& aftermath, const BadEnds& bad_ends, const EvidenceItem& i) {
  const Finding& f = i.finding;
  if (!f.source.valid() || f.line == 0 || (i.rule != nullptr && !i.rule->query.empty())) return false;
  const After after = aftermath.Of(f.source, std::max(f.line, f.last_line), f.process);
  // A process that beat before goes on with one beat; of one that never did, three are needed.
  if (after.own_beats >= (after.beat_before ? 1u : kWorksOn)) return true;
  const auto end = bad_ends.find({f.source.value, f.process.value});
  const bool ended = end != bad_ends.end() && f.line <= end->second;
  // Beats that come behind its end are those of others; as many as usual must come before it.
  if (ended && after.beats < kWorksOn + aftermath.Of(f.source, end->second, f.process).beats) return false;
  return after.beats >= kWorksOn && !aftermath.OthersWork(f.source, f.line);
}

// Whether nothing works behind a line, and few lines follow: the frames of a stack, or what else a program says as it
// goes. Of a file in which somebody worked: the last word of a helper beside the job's output ends no job.
//   step 14 …      ERROR: halo exchange failed on device      solve(sol.f90:5)
bool IsLastWord(const JobModel& model, const Aftermath& aftermath, const EvidenceItem& i) {
  const Finding& f = i.finding;
  if (!f.source.valid() || f.line == 0) return false;
  const SourceFacts& facts = *model.sources[f.source.value];
  const uint32_t line = std::max(f.line, f.last_line);
  if (facts.pulses.empty() || facts.counters.Get(Counter::kLines) > line + kLastWords) return false;
  const After after = aftermath.Of(f.source, line, f.process);
  return after.own_beats == 0 && after.beats == 0;
}

// source -> line -> how often the complaints that stand there and behind it came again.
std::map<uint32_t, std::map<uint32_t, uint64_t>> ComplaintsOf(const std::vector<EvidenceItem>& items) {
  std::map<uint32_t, std::map<uint32_t, uint64_t>> out;
  for (const EvidenceItem& i : items) {
    const Finding& f = i.finding;
    if (!f.source.valid() || f.line == 0) continue;
    auto& of_source = out[f.source.value];
    if (f.repeats == 0 || f.role == Role::kContext) continue;
    // Several rules may know one line: it came again as often as the best of them says.
    uint64_t& repeats = of_source[f.line];
    repeats = std::max(repeats, f.repeats);
  }
  for (auto& [source, lines] : out) {
    uint64_t sum = 0;
    // From the end on: how many repeats stand at this line and behind it.
    for (auto it = lines.rbegin(); it != lines.rend(); ++it) it->second = sum += it->second;
  }
  return out;
}

}  // namespace

void MarkSurvived(const JobModel& model, const OutcomeReading& outcome, std::vector<EvidenceItem>& items) {
  const Aftermath aftermath(model);
  const std::set<size_t> bad(outcome.bad.begin(), outcome.bad.end());
  const BadEnds bad_ends = BadEndsOf(outcome, items);
  const bool known = outcome.outcome != Outcome::kUnknown;
  for (EvidenceItem& i : items) {
    const Role role = i.finding.role;
    const bool stumble = i.rule != nullptr && i.rule->sign.life == Life::kStumble;
    if (role != Role::kRoot && role != Role::kSymptom && role != Role::kSecondary && !stumble) continue;
    // Where work was done, not every complaint is its end: only one of the last words of a log that tells no end.
    const bool guess = i.rule != nullptr && i.rule->last_resort && !(!known && IsLastWord(model, aftermath, i));
    // A job that ended well overcame everything. A last resort only says that a line sounds wrong.
    if (outcome.outcome == Outcome::kSucceeded || (guess && outcome.worked)) {
      i.survived = true;
      // An ending that the outcome does not count was overcome, or is another attempt's.
    } else if (i.sign >= 0 && i.rule->sign.life == Life::kEnding) {
      i.survived = !bad.contains(static_cast<size_t>(i.sign));
    } else {
      i.survived = WorksOn(aftermath, bad_ends, i);
    }
  }
  // process -> source -> last line that shows that all is well
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> well;
  for (uint32_t s = 0; s < model.sources.size(); ++s) {
    for (const Event& e : model.sources[s]->events) {
      const bool good = e.kind == EventKind::kCommInitComplete || e.kind == EventKind::kCommDestroy;
      if (!good) continue;
      const ProcessId id = model.ProcessOf(SourceId{s}, e.process, e.launcher_rank);
      if (!id.valid()) continue;
      uint32_t& line = well[{id.value, s}];
      line = std::max(line, e.line);
    }
  }
  const auto generic = [](const EvidenceItem& i) { return i.rule == nullptr || i.finding.role == Role::kSymptom; };
  for (EvidenceItem& i : items) {
    if (!generic(i) || !i.finding.process.valid() || !i.finding.source.valid()) continue;
    const auto it = well.find({i.finding.process.value, i.finding.source.value});
    if (it != well.end() && i.finding.line > 0 && i.finding.line < it->second) i.survived = true;
  }
  // Whoever leaves closes doors at which others still knock: noise, if nothing ended badly and there is
  // more to see of the job than that.
  if (outcome.outcome == Outcome::kUnknown && outcome.bad.empty()) {
    std::map<uint32_t, uint32_t> leaves;  // source -> the first line that says so
    for (const EvidenceItem& i : items) {
      if (i.sign < 0 || i.rule->sign.life != Life::kLeaving || !i.finding.source.valid()) continue;
      uint32_t& line = leaves.try_emplace(i.finding.source.value, i.finding.line).first->second;
      line = std::min(line, i.finding.line);
    }
    const auto spoke_before = [&](uint32_t source, uint32_t line) {
      uint64_t news = 0;
      // What was said in front of that line: an excerpt of the last words shows only the end.
      for (const NewsFacts& n : model.sources[source]->news) news += n.lines.count - n.lines.After(line);
      return news >= kToldMuch;
    };
    for (EvidenceItem& i : items) {
      if (!generic(i) && i.finding.role != Role::kSecondary) continue;
      const auto it = leaves.find(i.finding.source.value);
      if (it == leaves.end() || (!outcome.worked && !spoke_before(it->first, it->second))) continue;
      if (i.finding.line > it->second) i.survived = true;
    }
  }
  // A program that goes on writing for long after a generic complaint, and never says that it failed, did not fail of
  // it.
  const auto complaints = ComplaintsOf(items);
  const auto long_before_end = [&](const EvidenceItem& i) {
    if (!i.finding.source.valid() || i.finding.line == 0) return false;
    // Neither its own repeats nor those of others are life that goes on.
    // The line's own repeats reach that far.
    const uint64_t own = std::max<uint64_t>(i.finding.line + i.finding.repeats, i.finding.last_line);
    const auto& theirs = complaints.at(i.finding.source.value);
    const auto behind = theirs.upper_bound(i.finding.line);
    const uint64_t last = own + (behind == theirs.end() ? 0 : behind->second);
    return model.sources[i.finding.source.value]->counters.Get(Counter::kLines) > last + kLifeGoesOn;
  };
  // Whether a rule with a cause still counts: then generic complaints keep their say as well.
  const auto speaks = [&](const EvidenceItem& i) {
    const bool failure = i.finding.role == Role::kRoot || i.finding.role == Role::kSymptom;
    return i.rule != nullptr && failure && !i.survived && !(generic(i) && long_before_end(i));
  };
  // What nobody of the job said, as a kernel or a daemon does, and nobody died of.
  const auto of_others = [&](const EvidenceItem& i) {
    const Finding& f = i.finding;
    return f.anybodys && f.source.valid() && f.line > 0 &&
           aftermath.EverybodyWorks(f.source, std::max(f.line, f.last_line));
  };
  const auto decides = [&](const EvidenceItem& i) { return speaks(i) && (known || !of_others(i)); };
  // What a query compares may stand in front of the work, as settings do: without trouble that lasted it did no harm.
  const auto compared = [](const EvidenceItem& i) { return i.rule != nullptr && !i.rule->query.empty(); };
  if (!known && std::none_of(items.begin(), items.end(), [&](auto& i) { return decides(i) && !compared(i); })) {
    for (EvidenceItem& i : items) {
      const Finding& f = i.finding;
      if (!compared(i) || !f.source.valid() || f.line == 0) continue;
      i.survived = i.survived || aftermath.Of(f.source, f.line, f.process).beats >= kWorksOn;
    }
  }
  if (std::any_of(items.begin(), items.end(), decides)) return;
  for (EvidenceItem& i : items) {
    if (!i.survived && !known && of_others(i)) i.survived = true;
  }
  // Nothing else speaks: what NCCL prints at INFO, and what stands long before the end, is no failure then.
  for (EvidenceItem& i : items) {
    if (generic(i) && (i.info || long_before_end(i))) i.survived = true;
  }
}

}  // namespace ncclwhy

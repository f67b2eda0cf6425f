#include "analyze/describe_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyze/address_comparison.h"
#include "analyze/alike_hosts.h"
#include "analyze/blame.h"
#include "analyze/command_place.h"
#include "analyze/compared_evidence.h"
#include "analyze/culprit_lines.h"
#include "analyze/error_title.h"
#include "analyze/fit_fixes.h"
#include "analyze/leading_line.h"
#include "analyze/lines_around.h"
#include "analyze/memory_holder.h"
#include "analyze/mixed_tracebacks.h"
#include "analyze/odd_row.h"
#include "analyze/own_frame.h"
#include "analyze/passed_by_launcher.h"
#include "analyze/place_evidence.h"
#include "analyze/qp_ends.h"
#include "analyze/why_sure.h"
#include "base/limits.h"
#include "base/logger_prefix.h"
#include "base/rank_list.h"
#include "base/text.h"
#include "base/utf8.h"
#include "job/rank_in_text.h"
#include "kb/loader/command_words.h"
#include "parser/complaints.h"

namespace ncclwhy {
namespace {

// One culprit alone with a rank: of several it would be unfair to show one's lines first.
// The evidence of a hypothesis; of what shows the failure itself the lines of the accused come first.
std::vector<size_t> CulpritsFirst(const CaseFile& c, const Hypothesis& h, const std::vector<Culprit>& culprits) {
  std::vector<size_t> order = h.evidence;
  // What says why stands before what others noticed of it.
  std::stable_partition(order.begin(), order.end(), [&](size_t n) {
    const EvidenceItem& item = c.items[n];
    return item.rule != nullptr && item.rule->says_why && item.finding.line != 0;
  });
  if (culprits.size() != 1 || culprits.front().rank < 0) return order;
  std::stable_partition(order.begin(), order.end(), [&](size_t n) {
    const Finding& f = c.items[n].finding;
    if (f.role != Role::kRoot || f.line == 0) return false;
    // What a line says of its rank goes before what it stands under: a launcher's output holds lines of many.
    const int32_t said = RankInText(f.text);
    return (said >= 0 ? said : f.process.valid() ? c.model.RankOf(f.process) : f.rank) == culprits.front().rank;
  });
  return order;
}

std::vector<Evidence> EvidenceFor(const CaseFile& c, const Hypothesis& h, const std::vector<Culprit>& culprits) {
  std::vector<Evidence> out;
  std::map<std::string, int> per_rule;
  std::set<std::pair<std::string, uint64_t>> lines;
  const auto add = [&](size_t n, const char* role) {
    const EvidenceItem& item = c.items[n];
    // The same rule on 64 ranks is shown three times; the ranks are counted elsewhere.
    const std::string key = item.rule != nullptr ? item.name : item.note;
    // The count goes on behind three: what is not shown must not let another rule's line of the same kind in.
    if (++per_rule[key] > 3 || out.size() >= limits::kEvidencePerCause) return;
    Evidence e = ItemEvidence(c, item, role);
    // Of a wait that is told again and again the last line tells how long it was.
    //   rank 0: still waiting for collective #19 after 16 s
    const bool waits = item.rule != nullptr && item.rule->sign.life == Life::kWaiting;
    if (const Finding& f = item.finding; waits && !f.last_text.empty()) {
      const Evidence last = PlaceEvidence(c.model, {f.source, f.last_line, f.offset, f.last_text}, role);
      e.text = last.text;
      e.line = last.line;
    }
    // Two rules that speak of one line show it once, with the role of the stronger one.
    if (e.line > 0 && !lines.emplace(e.file, e.line).second) return;
    const SourceId source = item.finding.source;
    if (source.valid() && e.line > 0) e.context = LinesAround(*c.model.sources[source.value], item.finding.line);
    out.push_back(std::move(e));
  };
  for (const size_t n : CulpritsFirst(c, h, culprits)) {
    const Role role = c.items[n].finding.role;
    const bool absent = c.items[n].finding.line == 0;
    add(n, absent ? "absent" : role == Role::kRoot ? "direct" : "supporting");
  }
  for (const size_t n : h.against) add(n, "contradicting");
  return out;
}

// "9 (SIGKILL)" for what programs call it: "9", "SIGKILL", "Killed", "Signals.SIGKILL".
std::string NameSignal(const KnowledgeBase& kb, std::string_view told) {
  constexpr std::string_view kPython = "Signals.";
  std::string_view word = told.substr(0, told.find_last_not_of(' ') + 1);
  if (word.starts_with(kPython)) word.remove_prefix(kPython.size());
  auto known = kb.FindCodeByWord("signal", word, Language::kEnglish);
  if (!known) known = kb.FindCodeByWord("signal", "SIG" + std::string(word), Language::kEnglish);  // systemd's KILL
  return known ? std::to_string(known->code) + " (" + known->name + ")" : std::string(told);
}

// Whether there is anything of other ranks: their lines, or NCCL's.
bool ShowsOthers(const JobModel& model) {
  return model.processes.size() > 1 ||
         std::any_of(model.sources.begin(), model.sources.end(),
                     [](const SourceFacts* s) { return s->counters.Get(Counter::kNccl) > 0; });
}

// Whether others than the culprit complain: of a lost peer, of a time-out.
bool OthersComplain(const CaseFile& c, const std::vector<Culprit>& culprits) {
  const int32_t rank = culprits.empty() ? -1 : culprits.front().rank;
  return std::any_of(c.items.begin(), c.items.end(), [&](const EvidenceItem& item) {
    const Finding& f = item.finding;
    const bool complains = f.role == Role::kRoot || f.role == Role::kSymptom || f.role == Role::kSecondary;
    if (!complains || f.line == 0) return false;
    const int32_t whose = f.process.valid() ? c.model.RankOf(f.process) : f.rank;
    return rank < 0 ? f.role == Role::kSecondary : whose >= 0 && whose != rank;
  });
}

}  // namespace

TemplateValues CaseValues(const CaseFile& c, const Hypothesis& h, const std::vector<Culprit>& culprits) {
  TemplateValues values = ValuesFor(c.model, c.items, h, culprits);
  const bool zh = c.language == Language::kChinese;
  const CauseTraits& traits = c.kb.TraitsOf(h.cause);
  // A host whose launcher tells the end, before ranks: it was one of these.
  //   ./launch0.sh: line 5: 27715 Segmentation fault      RANK=$q ./serve
  const bool only_host = traits.gone && !culprits.empty() && culprits.front().rank < 0;
  // The launcher's host stands in front; the ranks behind it are those it could have been.
  std::vector<Culprit> ranks = culprits;
  if (only_host) ranks.erase(ranks.begin());
  if (OneOfSeveral(traits, ranks)) {
    std::vector<int32_t> alike;
    for (const Culprit& each : ranks) {
      if (each.why == ranks.front().why) alike.push_back(each.rank);
    }
    const std::string listed = RankRanges(std::move(alike));
    values["who"] = zh ? "rank " + listed + " 之一" : "one of the ranks " + listed;
    for (const std::string name : {"rank", "who_host", "gpu"}) values.erase(name);
    if (only_host) values["who_host"] = culprits.front().host;
  } else if (only_host) {
    values["who"] = zh ? culprits.front().host + " 上的一个进程" : "a process on " + culprits.front().host;
  }
  if (const std::vector<int32_t> all = RaisedByAll(c, h); !all.empty()) {
    values["all_who"] = (zh ? "rank " : "the ranks ") + RankRanges(all);
  }
  if (std::string said = LastWords(c.model, culprits); !said.empty()) values.try_emplace("last_words", std::move(said));
  if (traits.waits) AddStandsIn(c.model, culprits, &values);
  if (const auto signal = values.find("signal"); signal != values.end()) {
    signal->second = NameSignal(c.kb, signal->second);
  }
  if (ShowsOthers(c.model)) values.emplace("others", "1");
  if (OthersComplain(c, culprits)) values.emplace("echo", "1");
  values.insert(c.environment.values.begin(), c.environment.values.end());
  // Two ranks with two values: the sentence then speaks of neither.
  for (const auto& [variable, set] : c.environment.variables) {  // {NCCL_IB_PKEY}, where all who set it agree
    if (set.size() == 1) values.try_emplace(variable, *set.begin());
  }
  // A pod has no node's commands: `ssh POD` does not work.
  if (const auto host = values.find("host"); host != values.end()) {
    std::string node =
        c.environment.IsPod(host->second) ? std::string(c.environment.NodeOfPod(host->second)) : host->second;
    if (!node.empty()) values.try_emplace("node", std::move(node));
  }
  // The only other interface that would do.
  std::set<std::string, std::less<>> others = c.environment.reachable;
  if (const auto used = values.find("interface"); used != values.end()) others.erase(used->second);
  if (others.size() == 1) values.try_emplace("other_interface", *others.begin());
  if (std::string finding = LeadingFinding(c, h); !finding.empty()) values.emplace("finding", std::move(finding));
  if (std::string error = ErrorTitle(c, h, culprits); !error.empty()) values.try_emplace("error", std::move(error));
  // The first of the evidence that has a frame: it is in the order of what tells most.
  for (const size_t n : h.evidence) {
    if (std::string frame = OwnFrame(c, c.items[n].finding); !frame.empty()) {
      values.try_emplace("frame", std::move(frame));
      break;
    }
  }
  AddAddressComparison(c.language, &values);
  AddQpEnds(c, h, &values);
  if (!values.contains("compared")) {
    if (std::string clause = GidClause(c, values); !clause.empty()) values.emplace("compared", std::move(clause));
  }
  if (const auto holder = values.find("holder"); holder != values.end() && holder->second.starts_with("Process ")) {
    const size_t has = holder->second.find(" has ");
    const auto itself = [&](size_t n) { return HolderIsItself(c.items[n].finding.text); };
    if (has != std::string::npos && std::any_of(h.evidence.begin(), h.evidence.end(), itself)) {
      holder->second.replace(0, has, "this process");
    }
  }
  // The address of one of the job's hosts is told with its name: nobody should have to look it up.
  if (const auto peer = values.find("peer"); peer != values.end()) {
    const std::string host(c.model.ResolveAddress(peer->second).host);
    const auto by = values.find("reporter");
    // Of two ends that complain the one's name may stand beside the other's peer.
    if (by != values.end() && by->second == host) {
      values.erase(peer);
    } else if (!host.empty() && host != peer->second && peer->second.find(' ') == std::string::npos) {
      values.try_emplace("peer_host", host);
      peer->second = host + " (" + peer->second + ")";
    }
  }
  return values;
}

Evidence ItemEvidence(const CaseFile& c, const EvidenceItem& item, std::string_view role) {
  const Finding& f = item.finding;
  Evidence e = PlaceEvidence(c.model, {f.source, f.line, f.offset, f.text}, role);
  e.rule = item.name;
  e.note = ExpandWhole(item.note, FindingValues(f)).value_or("");
  return e;
}

Cause DescribeCause(const CaseFile& c, const Hypothesis& h) {
  Cause cause;
  cause.id = h.cause;
  cause.confidence = h.confidence;
  cause.culprits = FindCulprits(c, h);
  if (AreAllRanks(c.model, RaisedByAll(c, h))) cause.culprits.clear();
  cause.evidence = EvidenceFor(c, h, cause.culprits);
  // What a comparison shows is shown once, also where it is a line of the evidence.
  for (Evidence& e : ComparedEvidence(c, h, cause.culprits)) AddOnce(std::move(e), &cause.evidence);
  for (Evidence& e : LineOfQpEnds(c, h)) AddOnce(std::move(e), &cause.evidence);
  for (Evidence& e : OddRows(c, cause.culprits)) AddOnce(std::move(e), &cause.evidence);
  for (Evidence& e : OtherTracebacks(c, h)) AddOnce(std::move(e), &cause.evidence);
  AddLastWords(c, h, &cause);
  if (c.kb.TraitsOf(h.cause).waits) AddStack(c, &cause);
  cause.sure = WhySure(c, h) + EndNotShown(c, h) + NotInTheExcerpt(c, h, cause.culprits);
  // The texts need the culprits; SettingsOfFix needs the fixes that the texts bring.
  TellCause(c, h, &cause);
  for (Evidence& e : SettingsOfFix(c, cause)) AddOnce(std::move(e), &cause.evidence);
  return cause;
}

void TellCause(const CaseFile& c, const Hypothesis& h, Cause* cause) {
  const TemplateValues values = CaseValues(c, h, cause->culprits);
  const TemplateValues words = WordsForCommands(values, cause->culprits);
  auto known = c.kb.FindCause(h.cause, c.language);
  if (!known) {
    cause->title = h.cause;
    return;
  }
  // A rule that judges the line closer may tell other sentences and fixes than its cause.
  const std::vector<FittingText> own = known->summary;
  TellByRule(c, h, &*known);
  cause->title = ExpandTemplate(known->title, values);
  TemplateValues told = values;
  // Where nobody is blamed the sentence names all hosts that complain and not just the first.
  if (const std::string hosts = HostsThatTell(c.model, c.items, h);
      cause->culprits.empty() && hosts.starts_with(told["host"])) {
    told["host"] = hosts;
  }
  if (told["host"].empty()) told.erase("host");
  const auto summary = [&](const TemplateValues& with) {
    std::string text = FitText(c.environment, c.kb, known->summary, with);
    return AsSentence(text.empty() ? FitText(c.environment, c.kb, own, with) : text);
  };
  // What two ranks do together is told of one pair.
  const std::string alike_ranks = values.contains("peer_rank") ? std::string() : AlikeRanks(c, *known, cause->culprits);
  if (!alike_ranks.empty()) EraseOfOneRank(&told);
  cause->summary = summary(told) + alike_ranks;
  const std::vector<std::string_view> alike = AlikeHosts(c, *known, cause->culprits, values);
  // A fix that names one host of several that fail alike would leave the others as they are.
  TemplateValues of_all = alike.size() > 1 ? told : values;
  if (alike.size() > 1) {
    of_all["host"] = JoinHosts(alike, c.language);
    TemplateValues common = of_all;
    for (const std::string& name : VaryingValues(c, h)) common.erase(name);
    std::string of_each = summary(common);
    if (!FailsByItself(*known) && of_each == summary(of_all)) {
      cause->summary = std::move(of_each);
    } else if (alike_ranks.empty()) {
      cause->summary += AlikeSentence(c, *known, alike, cause->summary);
    }
  }
  // Read by its words alone: the line itself is the better headline.
  if (const std::string said = ReadByWords(c, h); !said.empty()) {
    cause->summary = said + (c.chinese() ? "：" : ": ") + cause->title + (c.chinese() ? "。" : ".");
  }
  cause->meaning = ExpandTemplate(known->meaning, values);
  cause->mistaken_for = ExpandTemplate(known->mistaken_for, values);
  cause->unproven = FitText(c.environment, c.kb, known->unproven, told);
  cause->fixes.clear();
  cause->fixes_elsewhere.clear();
  FitFixes(c.environment, c.kb, known->fixes, of_all, words, cause);
  cause->confirm = FitConfirms(c.environment, c.kb, known->confirm, values, words);
  // The command as it is typed where the job is started: a variable has to get through mpirun or srun.
  for (std::vector<Fix>* fixes : {&cause->fixes, &cause->fixes_elsewhere}) {
    for (Fix& fix : *fixes) {
      fix.command = PassedByLauncher(c.kb, c.environment, WithStackTool(c.kb, c.environment, fix.command));
      fix.host = HostToRunOn(c.kb, fix.command, cause->culprits);
    }
  }
  for (Confirm& confirm : cause->confirm) {
    confirm.command = WithStackTool(c.kb, c.environment, std::move(confirm.command));
    confirm.host = HostToRunOn(c.kb, confirm.command, cause->culprits);
  }
  cause->references = known->references;
}

std::string WhyNot(const CaseFile& c, const Hypothesis& h, const Hypothesis& best) {
  // Evidence against it first, else what the best explains and this one does not.
  const bool zh = c.language == Language::kChinese;
  if (!h.against.empty()) {
    const Evidence e = ItemEvidence(c, c.items[h.against.front()], "contradicting");
    return (zh ? "反面证据：" : "against it: ") + e.note;
  }
  for (const size_t n : best.evidence) {
    if (std::find(h.evidence.begin(), h.evidence.end(), n) != h.evidence.end()) continue;
    const Evidence e = ItemEvidence(c, c.items[n], "supporting");
    if (e.note.empty()) continue;
    return (zh ? "它不能解释：" : "it would not explain: ") + e.note;
  }
  return zh ? "证据较弱" : "weaker evidence";
}

std::vector<Collect> StepsToDecide(const CaseFile& c, const Hypothesis& h, const std::vector<Culprit>& culprits) {
  std::vector<Collect> steps;
  const auto known = c.kb.FindCause(h.cause, c.language);
  if (!known) return steps;
  const TemplateValues values = CaseValues(c, h, culprits);
  // Words of a log are quoted for the shell.
  const TemplateValues words = CommandWords(values);
  for (Collect step : known->collect) {
    step.what = ExpandTemplate(step.what, values);
    step.command = ExpandTemplate(step.command, words);
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace ncclwhy

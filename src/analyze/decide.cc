#include "analyze/decide.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "analyze/blame.h"
#include "analyze/fit_fixes.h"
#include "base/text.h"
#include "kb/loader/command_words.h"

namespace ncclwhy {
namespace {

// What a decision costs when it is wrong decides how sure it must be: "fix first" stops a job for good, a host that is
// left out is missed, running again costs a run.
constexpr double kSureToFix = 0.8;
constexpr double kSureToLeaveOut = 0.7;
constexpr double kSureToRerun = 0.55;
// Of what comes back only now and then.
constexpr double kMayComeBack = 0.85;
constexpr size_t kCandidates = 3;
// A hypothesis below it is noise.
constexpr double kWorthNaming = 0.02;

struct Choice {
  Action action = Action::kUndecided;
  std::set<std::string> hosts, devices;
  // Two causes that say the same of what to do add up: see Decide.
  bool set = false;  // what is to be mended first is a setting that stands in for leaving out the only host
};

// How its process ended, as the evidence of the cause tells.
bool EndedItself(const CaseFile& c, const Cause& cause) {
  // An exception of the program's own comes from its code or data, which are the same next time.
  return std::any_of(c.items.begin(), c.items.end(), [&](const EvidenceItem& item) {
    if (item.rule == nullptr || item.survived || item.consequence) return false;
    const Ending how = item.rule->sign.how;
    if (how != Ending::kException && how != Ending::kAbort) return false;
    return std::any_of(cause.evidence.begin(), cause.evidence.end(),
                       [&](const Evidence& e) { return e.rule == item.name && e.role != "contradicting"; });
  });
}

// A line of its evidence says that an identical run meets the same: a launcher that was told to start too few ranks.
bool SaysItRecurs(const CaseFile& c, const Cause& cause) {
  return std::any_of(c.items.begin(), c.items.end(), [&](const EvidenceItem& item) {
    if (item.rule == nullptr || !item.rule->recurs || item.survived || item.consequence) return false;
    const std::vector<Weight>& weights = item.finding.causes;
    return std::any_of(weights.begin(), weights.end(),
                       [&](const Weight& w) { return w.cause == cause.id && w.log_odds > 0; });
  });
}

// The same failure in an earlier attempt: it comes back.
bool CameBack(const Report& report, const Cause& cause) {
  const auto same = std::count_if(report.attempts.begin(), report.attempts.end(), [&](const Attempt& a) {
    return a.outcome == Outcome::kFailed && a.cause == cause.id;
  });
  // Once is the failure itself.
  return same > 1;
}

// "NCCL_NVLS_ENABLE=0": the first fix is no more than a setting with which the job goes on where it is. Empty where it
// is not.
std::string_view SettingOf(const Cause& cause) {
  constexpr std::string_view kCommand = " COMMAND";
  if (cause.fixes.empty()) return {};
  std::string_view setting = cause.fixes.front().command;
  // `NAME=value COMMAND` and nothing else: a pipe or a second word does more than set something.
  if (setting.ends_with(kCommand)) setting.remove_suffix(kCommand.size());
  const size_t equal = setting.find('=');
  if (equal == std::string_view::npos || setting.find_first_of(" ;|&\n") != std::string_view::npos) return {};
  const std::string_view name = setting.substr(0, equal);
  const auto is_name = [](char c) { return (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_'; };
  return std::all_of(name.begin(), name.end(), is_name) ? setting : std::string_view();
}

Choice ChoiceFor(const CaseFile& c, const Report& report, const Cause& cause, const CauseKnowledge& known) {
  Choice out;
  const bool always = known.recurs == "always" || CameBack(report, cause) || SaysItRecurs(c, cause);
  const bool local = known.about == "host" || known.about == "device";
  for (const Culprit& culprit : cause.culprits) {
    if (!culprit.host.empty()) out.hosts.insert(culprit.host);
    // Not its GPU by number: that is CUDA's, of the devices that the process sees, and no card can be left out by it.
    if (known.about == "device" && !culprit.host.empty() && !culprit.device.empty()) {
      out.devices.insert(culprit.host + " " + culprit.device);
    }
  }
  // A fault of every host is none of a host's: then it is something they share.
  const bool everywhere = !c.model.hosts.empty() && out.hosts.size() >= c.model.hosts.size();
  const bool without_hosts = local && !out.hosts.empty() && !(everywhere && out.hosts.size() > 1);
  // Who was ended by nobody and whose cause is neither the host's nor certain to come back may well run next time.
  if (known.about == "outside" || (!local && !always && !EndedItself(c, cause))) {
    out.action = Action::kRerun;
  } else if (without_hosts) {
    // Where the logs show no other host, a setting is the better answer.
    const bool alone = c.model.hosts.size() <= 1;
    // The only host cannot be left out; where a setting avoids the fault, that is what remains.
    out.set = alone && !SettingOf(cause).empty();
    out.action = out.set ? Action::kFixFirst : Action::kRerunWithout;
  } else if (always) {
    out.action = Action::kFixFirst;
  }
  return out;
}

std::string Joined(const std::set<std::string>& names, std::string_view between) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : std::string(between)) + name;
  return out;
}

// Whether a stack shows the place.
bool IsPlaceKnown(const CaseFile& c) {
  return std::any_of(c.items.begin(), c.items.end(),
                     [](const EvidenceItem& item) { return item.finding.fields.contains("stands_in"); });
}

// `look` becomes whether it asks for a look before anything else.
std::string Why(const CaseFile& c, const Choice& choice, const Cause& cause, const CauseKnowledge& known, bool zh,
                bool* look) {
  const bool waits = c.kb.TraitsOf(cause.id).waits;
  switch (choice.action) {
    case Action::kFixFirst:
      if (choice.set) return fmt::format(fmt::runtime(zh ? "设置 {}" : "set {}"), SettingOf(cause));
      return cause.title;
    case Action::kRerunWithout:
      if (const std::string_view setting = SettingOf(cause); !setting.empty()) {
        return fmt::format(fmt::runtime(zh ? "或保留它并设置 {}" : "or keep it and set {}"), setting);
      }
      if (c.model.hosts.size() <= 1) {
        return zh ? "换用另一台主机，因为证据指向这台主机"
                  : "another host in its place, as the evidence is about this one";
      }
      if (choice.hosts.size() > 1)
        return zh ? "证据指向这些主机，不涉及作业本身" : "the evidence is about these hosts, not about the job";
      return zh ? "证据指向这台主机，不涉及作业本身" : "the evidence is about this host, not about the job";
    case Action::kRerun:
      *look = true;
      if (known.about == "outside") {
        const auto still = c.environment.values.find("still");
        *look = still != c.environment.values.end();
        // What took a host's network away may still be there.
        if (!*look && known.recurs == "sometimes" && !cause.unproven.empty()) {
          *look = true;
          return fmt::format(fmt::runtime(zh ? "请先查明：{}" : "find out first {}"), cause.unproven);
        }
        if (!*look) return zh ? "作业本身没有问题" : "nothing is wrong with the job itself";
        return fmt::format(
            fmt::runtime(zh ? "请先查明它为什么在此之前停滞了 {}" : "find out first why it had stood still for {}"),
            still->second);
      }
      // The reader knows where it stands, and has to find out what it waits for.
      if (waits && IsPlaceKnown(c)) {
        return zh ? "堆栈显示它停在哪里，但没有显示它在等什么，请先查明"
                  : "the stack shows where it stands, not what it waits for; see to that first";
      }
      // Who only waits or is gone leaves no reason: what stopped it may still be there.
      if (known.about == "job" && !cause.unproven.empty()) {
        return fmt::format(fmt::runtime(zh ? "请先查明：{}" : "find out first {}"), cause.unproven);
      }
      if (waits || cause.evidence.empty() || cause.evidence.front().line == 0) {
        return zh ? "为什么会这样不在日志里，请先查明" : "the reason is not in the logs; look for it first";
      }
      *look = false;
      return zh ? "日志中没有表明它必然重现" : "nothing in the logs says that it comes back";
    case Action::kUndecided:
      break;
  }
  return {};
}

// In the words of the scheduler: member `without` of its entry, HOSTS in it, joined by its member `between`.
std::string WithoutHosts(const CaseFile& c, const std::set<std::string>& hosts) {
  std::set<std::string> words;
  for (const std::string& host : hosts) {
    // In the words of a shell, quoted; a name that is no host's is in capitals and gives no command.
    // A pod is not what a scheduler can leave out.
    if (c.environment.IsPod(host)) continue;
    const TemplateValues word = CommandWords({{"host", host}});
    const auto it = word.find("host");
    if (it == word.end() || it->second == "HOST") return {};
    words.insert(it->second);
  }
  if (words.empty()) return {};
  for (const std::string& word : c.environment.words) {
    const auto known = c.kb.FindCode("environment", word, Language::kEnglish);
    if (!known || !known->more.contains("without")) continue;
    std::string command = known->more.at("without");
    const auto between = known->more.find("between");
    const size_t at = command.find("HOSTS");
    if (at == std::string::npos) continue;
    return command.replace(at, 5, Joined(words, between == known->more.end() ? " " : between->second));
  }
  return {};
}

}  // namespace

static std::optional<Decision> DecideOnCauses(const CaseFile& c, const Report& report) {
  if (report.verdict == Verdict::kUndetermined) return Decision{};
  const bool zh = c.language == Language::kChinese;
  if (report.verdict != Verdict::kFailure) {
    // A job whose end nobody saw: its lines are no reason to do anything, nor that nothing has to be done.
    const bool open = report.outcome == Outcome::kUnknown && !c.model.communicators.empty();
    if (!open || report.verdict == Verdict::kNoNccl) return std::nullopt;
    Decision undecided;
    undecided.why = zh ? "日志没有说明作业如何结束" : "how the job ended is not in the logs";
    return undecided;
  }
  // By action: how much speaks for it in all, and the first cause that asks for it, which lends it words and hosts.
  std::array<double, 4> weight{};
  std::array<std::optional<size_t>, 4> first;
  std::array<Choice, 4> choices;
  for (size_t i = 0; i < report.causes.size(); ++i) {
    const Cause& cause = report.causes[i];
    const auto known = c.kb.FindCause(cause.id, c.language);
    if (!known) continue;
    const Choice choice = ChoiceFor(c, report, cause, *known);
    const auto action = static_cast<size_t>(choice.action);
    // A cause that comes back only sometimes speaks less for any action.
    weight[action] += cause.confidence * (known->recurs == "sometimes" ? kMayComeBack : 1);
    if (first[action]) continue;
    first[action] = i;
    choices[action] = choice;
  }
  // From the action that costs most: the first one that is sure enough is taken.
  constexpr std::pair<Action, double> kNeeds[] = {
      {Action::kFixFirst, kSureToFix}, {Action::kRerunWithout, kSureToLeaveOut}, {Action::kRerun, kSureToRerun}};
  for (const auto& [action, enough] : kNeeds) {
    const auto n = static_cast<size_t>(action);
    if (!first[n] || weight[n] < (choices[n].set ? kSureToLeaveOut : enough)) continue;
    const Cause& cause = report.causes[*first[n]];
    Decision out;
    out.action = action;
    // Never certain: the causes that are listed are not all that there are.
    out.confidence = std::min(weight[n], 0.99);
    out.why = Why(c, choices[n], cause, *c.kb.FindCause(cause.id, c.language), zh, &out.look_first);
    // A job that counted its steps and says of none that it was saved begins again.
    const bool lost = action != Action::kFixFirst && !out.look_first && !report.progress.empty() && !report.checkpoint;
    if (lost)
      out.why += zh ? "；这里看不到已保存的检查点：先看有没有，否则会从头开始"
                    : "; these lines tell of no checkpoint: see whether there is one, or it starts from the beginning";
    if (action != Action::kRerunWithout) return out;
    out.hosts.assign(choices[n].hosts.begin(), choices[n].hosts.end());
    out.devices.assign(choices[n].devices.begin(), choices[n].devices.end());
    out.command = WithoutHosts(c, choices[n].hosts);
    return out;
  }
  Decision out;
  // How sure the best would have been, for those who decide by themselves.
  out.confidence = *std::max_element(weight.begin(), weight.end());
  out.why = zh ? "日志不足以决定" : "the logs do not say whether it would happen again";
  return out;
}

std::optional<Decision> Decide(const CaseFile& c, const Report& report) {
  std::optional<Decision> decision = DecideOnCauses(c, report);
  // Also where nobody knows why.
  if (report.outcome == Outcome::kHung && !c.environment.Shows("over")) {
    if (!decision) decision.emplace();
    decision->end_first = true;
  }
  return decision;
}

std::vector<PossibleCause> Candidates(const CaseFile& c, const std::vector<Hypothesis>& hypotheses) {
  std::vector<PossibleCause> out;
  for (const Hypothesis& h : hypotheses) {
    if (out.size() == kCandidates || h.probability < kWorthNaming) break;
    const auto known = c.kb.FindCause(h.cause, c.language);
    if (!known) continue;
    const std::vector<Culprit> culprits = FindCulprits(c, h);
    const TemplateValues values = CaseValues(c, h, culprits);
    PossibleCause candidate{h.cause, ExpandTemplate(known->title, values), {}, {}};
    std::vector<Confirm> confirm = FitConfirms(c.environment, c.kb, known->confirm, values, CommandWords(values));
    if (!confirm.empty()) {
      candidate.tells = std::move(confirm.front().text);
      candidate.command = std::move(confirm.front().command);
    }
    out.push_back(std::move(candidate));
  }
  return out;
}

}  // namespace ncclwhy

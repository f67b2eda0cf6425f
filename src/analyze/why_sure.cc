#include "analyze/why_sure.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "job/job_complaints.h"
#include "job/rank_in_text.h"
#include "parser/complaints.h"

namespace ncclwhy {
namespace {

// Whether a line of the finding shows how it broke. That a log ends shows no end: of such a rank nobody knows whether
// it died or hangs, and its finding speaks for both.
bool ShowsFailure(const CaseFile& c, const EvidenceItem& item) {
  if (item.rule != nullptr && item.rule->says_why) return true;
  const std::vector<Weight>& causes = item.finding.causes;
  const auto speaks = [&](auto trait) {
    return std::any_of(causes.begin(), causes.end(),
                       [&](const Weight& w) { return w.log_odds > 0 && c.kb.TraitsOf(w.cause).*trait; });
  };
  const bool compared = item.rule != nullptr && !item.rule->query.empty();
  return item.finding.role == Role::kRoot && !(compared && speaks(&CauseTraits::gone) && speaks(&CauseTraits::waits));
}

// What the evidence is made of.
struct Weighed {
  size_t kinds = 0;  // of sentences; several rules may read one
  std::set<uint32_t> processes;
  uint64_t lines = 0;
  uint64_t survived = 0;
  bool seen = false;       // a line shows the cause itself
  bool missing = false;    // it rests on what is not there
  size_t spared = 0;       // ranks whose lines are there and show nothing of it, where only one rank's do
  int32_t neighbour = -1;  // one of these that runs on the same host
};

// Of what befell one rank alone the ranks that it spared tell as much as its own lines.
void CountSpared(const CaseFile& c, const Hypothesis& h, Weighed* w) {
  constexpr size_t kTelling = 2;
  const CauseTraits traits = c.kb.TraitsOf(h.cause);
  if (!w->seen || w->processes.size() != 1 || traits.gone || traits.waits || !c.model.largest.valid()) return;
  const Process& only = c.model.processes[*w->processes.begin()];
  const std::vector<Rank>& ranks = c.model.communicators[c.model.largest.value].ranks;
  const auto own = std::find_if(ranks.begin(), ranks.end(), [&](const Rank& r) {
    return r.process.valid() && r.process.value == *w->processes.begin();
  });
  if (own == ranks.end()) return;
  // Who shows a failure that may be a cause, whichever, may show the same one in other words.
  std::set<uint32_t> failing;
  for (const EvidenceItem& item : c.items) {
    const Finding& f = item.finding;
    if (f.role == Role::kRoot && f.line > 0 && f.process.valid()) failing.insert(f.process.value);
  }
  for (const Rank& r : ranks) {
    if (!r.seen || !r.process.valid() || &r == &*own) continue;
    if (failing.contains(r.process.value)) {
      w->spared = 0;
      return;
    }
    ++w->spared;
    if (w->neighbour < 0 && !only.host.empty() && r.host == only.host) w->neighbour = r.rank;
  }
  if (w->spared < kTelling) w->spared = 0;
}

Weighed Weigh(const CaseFile& c, const Hypothesis& h) {
  Weighed w;
  // Several rules may speak of one sentence: its lines are those of the rule that saw most of them.
  std::map<uint64_t, std::map<std::string, uint64_t>> sentences;
  std::set<std::string> rules;  // each says something of its own
  for (const size_t n : h.evidence) {
    const EvidenceItem& item = c.items[n];
    rules.insert(item.rule != nullptr ? item.name : item.note);
    if (item.finding.process.valid()) w.processes.insert(item.finding.process.value);
    if (item.finding.line == 0) {
      w.missing = true;
      continue;
    }
    sentences[SentenceOf(item.finding.text)][item.name] += 1 + item.finding.repeats;
    if (item.survived) ++w.survived;
    if (ShowsFailure(c, item)) w.seen = true;
  }
  for (const auto& [sentence, of_rule] : sentences) {
    uint64_t most = 0;
    for (const auto& [rule, lines] : of_rule) most = std::max(most, lines);
    w.lines += most;
  }
  w.kinds = std::min(rules.size(), sentences.size());
  CountSpared(c, h, &w);
  return w;
}

std::string English(const Weighed& w, size_t against) {
  std::string out;
  const auto add = [&](const std::string& clause) { out += (out.empty() ? "" : ", ") + clause; };
  const auto counted = [](uint64_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
  if (w.lines == 1) add(w.seen ? "one line shows the failure itself" : "one line points to it, none shows it");
  if (w.lines > 1) {
    std::string lines = counted(w.lines, "line");
    if (w.kinds > 1) lines += fmt::format(" of {} kinds", w.kinds);
    if (w.processes.size() > 1) lines += fmt::format(" from {} processes", w.processes.size());
    add(lines + (w.seen ? " agree, the failure itself among them" : " point to it, none shows it"));
  }
  if (w.missing) add(w.lines > 0 ? "what is missing fits" : "only what is missing points to it");
  if (w.spared > 0) {
    std::string none = fmt::format("none of the other {} ranks prints it", w.spared);
    if (w.neighbour >= 0) none += fmt::format(", not even rank {} on its host", w.neighbour);
    add(none);
  }
  if (w.survived > 0) add("some of it the job got over");
  if (against > 0) add(fmt::format("{} against it", counted(against, "line")));
  return out;
}

std::string Chinese(const Weighed& w, size_t against) {
  std::string out;
  const auto add = [&](const std::string& clause) { out += (out.empty() ? "" : "，") + clause; };
  if (w.lines > 0) {
    std::string lines = fmt::format("{} 行", w.lines);
    if (w.processes.size() > 1) lines += fmt::format("，来自 {} 个进程", w.processes.size());
    if (w.kinds > 1) lines += fmt::format("，{} 种相互独立的证据", w.kinds);
    add(lines);
    add(w.seen ? "其中有直接显示故障的行" : "都指向它，但没有一行直接显示");
  }
  if (w.missing) add(w.lines > 0 ? "缺失的内容与之相符" : "依据的是缺失的内容");
  if (w.spared > 0) {
    std::string none = fmt::format("其余 {} 个 rank 都没有这样的行", w.spared);
    if (w.neighbour >= 0) none += fmt::format("（包括同一主机上的 rank {}）", w.neighbour);
    add(none);
  }
  if (w.survived > 0) add("其中一些作业已经恢复");
  if (against > 0) add(fmt::format("{} 行与之相反", against));
  return out;
}

// Whether a line says of itself that the program ends with it: "Fatal IPC Failure", "2 ucs_fatal_error_message()".
bool SaysFatal(const CaseFile& c) {
  constexpr std::string_view kWords[] = {"fatal", "Fatal", "FATAL", "abort", "Abort", "ABORT"};
  const auto says = [&](std::string_view text) {
    return text.find("on-fatal") == std::string_view::npos &&
           std::any_of(std::begin(kWords), std::end(kWords),
                       [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
  };
  if (std::any_of(c.items.begin(), c.items.end(), [&](const EvidenceItem& i) { return says(i.finding.text); }))
    return true;
  const std::vector<Complaint> complaints = ComplaintsOf(c.model);
  return std::any_of(complaints.begin(), complaints.end(), [&](const Complaint& x) { return says(x.text); });
}

// A few lines that somebody quotes: no communicator begins in them.
bool IsExcerpt(const JobModel& model) {
  constexpr uint64_t kExcerptLines = 30;
  uint64_t lines = 0;
  for (const SourceFacts* facts : model.sources) lines += facts->counters.Get(Counter::kLines);
  return lines <= kExcerptLines && model.communicators.empty();
}

// Whether anything in the lines is of a job of several processes: NCCL, a launcher, a scheduler, ranks.
bool ShowsJob(const CaseFile& c) {
  for (const char* word : {"slurm", "mpi", "torchrun", "kubernetes", "ray"}) {
    if (c.environment.Shows(word)) return true;
  }
  return std::any_of(c.model.sources.begin(), c.model.sources.end(),
                     [](const SourceFacts* s) { return s->counters.Get(Counter::kNccl) > 0; });
}

// A rank, host or GPU in whatever line: of a process, of a finding, of a sentence that sounds wrong.
bool ShowsWho(const CaseFile& c) {
  const auto known = [](const Process& p) { return p.rank >= 0 || !p.host.empty(); };
  if (std::any_of(c.model.processes.begin(), c.model.processes.end(), known)) return true;
  const auto told = [](const EvidenceItem& item) {
    const Finding& f = item.finding;
    return f.rank >= 0 || f.device >= 0 || !f.host.empty() || f.fields.contains("bus_id") ||
           f.fields.contains("local_rank") || RankInText(f.text) >= 0;
  };
  if (std::any_of(c.items.begin(), c.items.end(), told)) return true;
  const std::vector<Complaint> complaints = ComplaintsOf(c.model);
  return std::any_of(complaints.begin(), complaints.end(), [](const Complaint& x) { return RankInText(x.text) >= 0; });
}

}  // namespace

std::string NotInTheExcerpt(const CaseFile& c, const Hypothesis& h, const std::vector<Culprit>& culprits) {
  if (!culprits.empty() || !c.kb.TraitsOf(h.cause).one_rank || !IsExcerpt(c.model)) return {};
  if (!ShowsJob(c) || ShowsWho(c)) return {};
  return c.chinese() ? "；是哪个 rank 未知，也看不出之前是否已有故障：请补充所有 rank 更早的日志"
                     : "; not told: which rank, and whether it failed first (add the earlier lines of all ranks)";
}

std::string EndNotShown(const CaseFile& c, const Hypothesis& h) {
  const CauseTraits traits = c.kb.TraitsOf(h.cause);
  if (traits.one_rank || traits.waits || traits.gone || traits.kind != CauseKind::kFault || !IsExcerpt(c.model)) {
    return {};
  }
  // Whatever says that something failed of it: a result that is passed on, an exception, an end.
  const bool ended = std::any_of(c.items.begin(), c.items.end(), [](const EvidenceItem& item) {
    const Role role = item.finding.role;
    const Life life = item.rule != nullptr ? item.rule->sign.life : Life::kNone;
    return role == Role::kSymptom || role == Role::kSecondary || life == Life::kEnding || life == Life::kWaiting;
  });
  if (ended || SaysFatal(c)) return {};
  return c.chinese() ? "，但没有显示作业因此失败" : ", not that the job failed of it";
}

std::string WhySure(const CaseFile& c, const Hypothesis& h) {
  const Weighed w = Weigh(c, h);
  return c.language == Language::kChinese ? Chinese(w, h.against.size()) : English(w, h.against.size());
}

}  // namespace ncclwhy

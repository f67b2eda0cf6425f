#include "analyze/why_sure.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "job/rank_in_text.h"

namespace ncclwhy {
namespace {

// What the evidence is made of.
struct Weighed {
  std::set<std::string> rules;  // each says something of its own
  std::set<uint32_t> processes;
  uint64_t lines = 0;
  uint64_t survived = 0;
  bool seen = false;     // a line shows the cause itself
  bool missing = false;  // it rests on what is not there
};

Weighed Weigh(const CaseFile& c, const Hypothesis& h) {
  Weighed w;
  for (const size_t n : h.evidence) {
    const EvidenceItem& item = c.items[n];
    w.rules.insert(item.rule != nullptr ? item.name : item.note);
    if (item.finding.process.valid()) w.processes.insert(item.finding.process.value);
    if (item.finding.line == 0) {
      w.missing = true;
      continue;
    }
    w.lines += 1 + item.finding.repeats;
    if (item.survived) ++w.survived;
    if (item.finding.role == Role::kRoot) w.seen = true;
  }
  return w;
}

std::string English(const Weighed& w, size_t against) {
  std::string out;
  const auto add = [&](const std::string& clause) { out += (out.empty() ? "" : ", ") + clause; };
  const auto counted = [](uint64_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
  if (w.lines == 1) add(w.seen ? "one line shows the failure itself" : "one line points to it, none shows it");
  if (w.lines > 1) {
    std::string lines = counted(w.lines, "line");
    if (w.rules.size() > 1) lines += fmt::format(" of {} kinds", w.rules.size());
    if (w.processes.size() > 1) lines += fmt::format(" from {} processes", w.processes.size());
    add(lines + (w.seen ? " agree, the failure itself among them" : " point to it, none shows it"));
  }
  if (w.missing) add(w.lines > 0 ? "what is missing fits" : "only what is missing points to it");
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
    if (w.rules.size() > 1) lines += fmt::format("，{} 种相互独立的证据", w.rules.size());
    add(lines);
    add(w.seen ? "其中有直接显示故障的行" : "都指向它，但没有一行直接显示");
  }
  if (w.missing) add(w.lines > 0 ? "缺失的内容与之相符" : "依据的是缺失的内容");
  if (w.survived > 0) add("其中一些作业已经恢复");
  if (against > 0) add(fmt::format("{} 行与之相反", against));
  return out;
}

// A few lines that somebody quotes: no communicator begins in them.
bool IsExcerpt(const JobModel& model) {
  constexpr uint64_t kExcerptLines = 30;
  uint64_t lines = 0;
  for (const SourceFacts* facts : model.sources) lines += facts->counters.Get(Counter::kLines);
  return lines <= kExcerptLines && model.communicators.empty();
}

}  // namespace

std::string NotInTheExcerpt(const CaseFile& c, const Hypothesis& h, const std::vector<Culprit>& culprits) {
  if (!culprits.empty() || !c.kb.TraitsOf(h.cause).one_rank || !IsExcerpt(c.model)) return {};
  const bool told = std::any_of(h.evidence.begin(), h.evidence.end(), [&](size_t n) {
    const Finding& f = c.items[n].finding;
    return f.rank >= 0 || f.device >= 0 || !f.host.empty() || RankInText(f.text) >= 0;
  });
  if (told) return {};
  return c.chinese()
             ? "；rank、主机和 GPU 未知，也看不出之前是否已有故障：请补充所有 rank 更早的日志"
             : "; rank, host and GPU are not told, nor whether it was the first failure: add the earlier lines of "
               "all ranks";
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
  if (ended) return {};
  return c.chinese() ? "，但没有显示作业因此失败" : ", not that the job failed of it";
}

std::string WhySure(const CaseFile& c, const Hypothesis& h) {
  const Weighed w = Weigh(c, h);
  return c.language == Language::kChinese ? Chinese(w, h.against.size()) : English(w, h.against.size());
}

}  // namespace ncclwhy

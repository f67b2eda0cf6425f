#include "analyze/job_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "analyze/rank_traits.h"

namespace ncclwhy {
namespace {

// How telling a difference is, before everything else.
constexpr int kLevel = 100, kSize = 99, kSilent = 98, kTwice = 97, kSharedGpu = 96, kDivergence = 95, kVariable = 92,
              kStage = 85, kCalls = 80, kHosts = 60, kNotRead = 15, kLogVariable = 10;

// Between the constants above: what makes NCCL behave otherwise stands before what only describes the machines. 0: not
// compared.
int WeightOf(Trait trait) {
  switch (trait) {
    case Trait::kNcclVersion:
      return 94;
    case Trait::kNetwork:
      return 91;
    case Trait::kNics:
      return 90;
    case Trait::kBetweenHosts:
      return 89;
    case Trait::kInsideHost:
      return 88;
    case Trait::kGdr:
      return 87;
    case Trait::kBootstrapInterface:
      return 86;
    case Trait::kCudaVersion:
      return 70;
    case Trait::kNicNames:
      return 65;
    case Trait::kMnnvl:
      return 55;
    case Trait::kChannels:
      return 50;
    case Trait::kDriverVersion:
      return 45;
    case Trait::kNvls:
      return 40;
    case Trait::kBootstrapSubnet:
      break;
  }
  return 0;
}

class Comparison {
 public:
  Comparison(const ComparedRun& good, const ComparedRun& bad, const KnowledgeBase& kb, Language language)
      : good_(good.profile), bad_(bad.profile), kb_(kb), language_(language), zh_(language == Language::kChinese) {
    out_.good = SideOf(good);
    out_.bad = SideOf(bad);
  }

  // By kind, and within one by weight; of equal weight in the order in which they were found.
  JobDiff Run() {
    Jobs();
    for (int t = 0; t < kTraits; ++t) CompareTrait(static_cast<Trait>(t));
    Environment();
    Progress();
    Messages(bad_, good_, DifferenceKind::kOnlyBad);
    Messages(good_, bad_, DifferenceKind::kOnlyGood);
    std::stable_sort(out_.differences.begin(), out_.differences.end(), [](const Difference& a, const Difference& b) {
      return std::make_tuple(a.kind, -a.weight) < std::make_tuple(b.kind, -b.weight);
    });
    return std::move(out_);
  }

 private:
  // Of each run only the first cause: a comparison asks what is different, and not what else may be wrong.
  static DiffSide SideOf(const ComparedRun& run) {
    DiffSide side;
    side.name = run.name;
    side.verdict = run.report.verdict;
    if (!run.report.causes.empty()) {
      const Cause& cause = run.report.causes.front();
      side.cause = cause.id;
      side.title = cause.title;
      side.confidence = cause.confidence;
      side.culprits = cause.culprits;
    }
    side.job = run.report.job;
    side.coverage = run.report.coverage;
    side.problems = run.report.problems;
    return side;
  }

  Difference& Add(std::string name, std::string label, int weight) {
    Difference d;
    d.name = std::move(name);
    d.label = std::move(label);
    d.weight = weight;
    out_.differences.push_back(std::move(d));
    return out_.differences.back();
  }

  // NCCL_DEBUG, NCCL_DEBUG_SUBSYS: they say what is written and not what is done.
  bool OnlyLogs(std::string_view variable) const {
    const auto known = kb_.FindVariable(variable, language_);
    return known && known->logs_only;
  }

  std::string Text(const char* english, const char* chinese) const { return zh_ ? chinese : english; }

  // "2.21.5", or with several values who has which, the fewest first.
  std::string Describe(const Spread& spread) const {
    if (spread.values.empty()) return Text("not set", "未设置");
    if (spread.values.size() == 1) return spread.values.begin()->first;
    std::vector<ValueGroup> groups;
    for (const auto& [value, ranks] : spread.values) groups.push_back({value, ranks});
    SortMinorityFirst(&groups);
    return DescribeGroups(groups, language_);
  }

  // The ranks whose value the other run does not know at all.
  static std::vector<RankRef> Unlike(const Spread& spread, const Spread& other) {
    std::vector<RankRef> ranks;
    for (const auto& [value, who] : spread.values) {
      if (!other.values.contains(value)) ranks.insert(ranks.end(), who.begin(), who.end());
    }
    return ranks;
  }

  // Values and, in runs of one size, how many ranks have each.
  bool Equal(const Spread& a, const Spread& b) const {
    if (a.values.size() != b.values.size()) return false;
    return std::equal(a.values.begin(), a.values.end(), b.values.begin(), [&](const auto& x, const auto& y) {
      return x.first == y.first &&
             (a.values.size() == 1 || good_.nranks != bad_.nranks || x.second.size() == y.second.size());
    });
  }

  void Compare(const Spread& good, const Spread& bad, std::string name, std::string label, int weight) {
    if (Equal(good, bad)) return;
    Difference& d = Add(std::move(name), std::move(label), weight);
    d.good = Describe(good);
    d.bad = Describe(bad);
    const std::vector<RankRef> unlike = Unlike(bad, good);
    // With several values of BAD, the values themselves name their ranks.
    if (bad.values.size() == 1 && unlike.size() < static_cast<size_t>(std::max<int64_t>(bad_.nranks, 0))) {
      d.who = DescribeRanks(unlike, language_);
    }
    // The place to look at is the first value that GOOD does not have; where only the numbers of ranks differ, that of
    // the first value.
    for (const auto& [value, place] : bad.places) {
      if (!unlike.empty() && good.values.contains(value)) continue;
      d.file = place.file;
      d.line = place.line;
      break;
    }
  }

  void Jobs() {
    // One that went well at WARN prints no more than at VERSION: beside the WARN of the other it is no difference.
    const auto as_warn = [](const std::string& level) { return level == kWarnOrVersion ? "WARN" : level; };
    if (as_warn(good_.level) != as_warn(bad_.level) && !good_.level.empty() && !bad_.level.empty()) {
      // Said first: it explains why messages stand on one side only.
      Difference& d =
          Add("log-level", Text("level of the logs (messages may be missing for that)", "日志级别（因此可能缺少消息）"),
              kLevel);
      d.good = good_.level;
      d.bad = bad_.level;
    }
    const auto number = [](int64_t n) { return n < 0 ? std::string("?") : std::to_string(n); };
    if (good_.nranks != bad_.nranks && good_.nranks >= 0 && bad_.nranks >= 0) {
      Difference& d = Add("ranks", Text("ranks", "rank 数"), kSize);
      d.good = number(good_.nranks);
      d.bad = number(bad_.nranks);
    }
    if (good_.hosts != bad_.hosts) {
      Difference& d = Add("hosts", Text("hosts with a log", "有日志的主机数"), kHosts);
      d.good = number(good_.hosts);
      d.bad = number(bad_.hosts);
    }
    // Whether there are any counts, not which: rank numbers of two runs have nothing to do with each other.
    const auto ranks = [&](const char* name, std::string label, int weight, const std::vector<RankRef>& good,
                           const std::vector<RankRef>& bad) {
      if (good.empty() == bad.empty()) return;
      Difference& d = Add(name, std::move(label), weight);
      d.good = good.empty() ? Text("none", "无") : DescribeRanks(good, language_);
      d.bad = bad.empty() ? Text("none", "无") : DescribeRanks(bad, language_);
    };
    ranks("silent-ranks", Text("ranks without a log", "没有日志的 rank"), kSilent, good_.silent, bad_.silent);
    ranks("ranks-claimed-twice", Text("ranks that two processes claim", "被两个进程占用的 rank"), kTwice, good_.twice,
          bad_.twice);
    if (good_.shared_gpus.empty() != bad_.shared_gpus.empty()) {
      Difference& d = Add("same-gpu", Text("ranks on one GPU", "使用同一块 GPU 的 rank"), kSharedGpu);
      const auto list = [&](const std::vector<std::string>& gpus) {
        return gpus.empty() ? Text("none", "无") : gpus.front() + (gpus.size() > 1 ? ", …" : "");
      };
      d.good = list(good_.shared_gpus);
      d.bad = list(bad_.shared_gpus);
    }
  }

  // What one run does not tell at all is no difference: it logged less, or did not come so far.
  void CompareTrait(Trait trait) {
    if (WeightOf(trait) == 0) return;
    const std::string name(TraitName(trait));
    const auto good = good_.traits.find(name);
    const auto bad = bad_.traits.find(name);
    if (good == good_.traits.end() || bad == bad_.traits.end()) return;
    Compare(good->second, bad->second, name, std::string(TraitLabel(trait, language_)), WeightOf(trait));
  }

  void Environment() {
    std::set<std::string> names;
    for (const auto& [name, spread] : good_.environment) names.insert(name);
    for (const auto& [name, spread] : bad_.environment) names.insert(name);
    for (const std::string& name : names) {
      const auto good = good_.environment.find(name);
      const auto bad = bad_.environment.find(name);
      const Spread none;
      const Spread& a = good == good_.environment.end() ? none : good->second;
      const Spread& b = bad == bad_.environment.end() ? none : bad->second;
      // A run that echoes nothing, or stopped before it read the variable, does not say that it was not set.
      const JobProfile& lacking = a.values.empty() ? good_ : bad_;
      const bool unread = (a.values.empty() || b.values.empty()) && (!lacking.echoes || !lacking.ready);
      if (unread && !lacking.echoes) continue;
      const int weight = OnlyLogs(name) ? kLogVariable : unread ? kNotRead : kVariable;
      Compare(a, b, "environment", name, weight);
      // Set for some ranks only.
      if (!a.values.empty() && !b.values.empty() && Equal(a, b)) CompareHolders(name, a, b);
    }
  }

  // The value is the same, but fewer or more ranks have it.
  void CompareHolders(const std::string& name, const Spread& good, const Spread& bad) {
    if (good_.nranks != bad_.nranks || !good_.ready || !bad_.ready || good.values.size() != 1) return;
    const std::vector<RankRef>& g = good.values.begin()->second;
    const std::vector<RankRef>& b = bad.values.begin()->second;
    if (g.size() == b.size()) return;
    Difference& d = Add("environment", name, OnlyLogs(name) ? kLogVariable : kVariable);
    const std::string& value = good.values.begin()->first;
    d.good = fmt::format("{} ({})", value, DescribeRanks(g, language_));
    d.bad = fmt::format("{} ({})", value, DescribeRanks(b, language_));
  }

  void Progress() {
    if (!good_.stage.values.empty() && !bad_.stage.values.empty()) {
      Compare(good_.stage, bad_.stage, "stage", Text("how far", "到达的阶段"), kStage);
    }
    if (good_.divergence.empty() != bad_.divergence.empty()) {
      Difference& d = Add("collectives", Text("collective calls", "集合通信调用"), kDivergence);
      const std::string alike = Text("all ranks alike", "各 rank 一致");
      d.good = good_.divergence.empty() ? alike : good_.divergence;
      d.bad = bad_.divergence.empty() ? alike : bad_.divergence;
      d.file = bad_.divergence_at.file;
      d.line = bad_.divergence_at.line;
      // A job that is cut off anywhere has ranks that are a call apart; the number itself differs between any two runs.
    } else if (good_.calls.values.size() == 1 && bad_.calls.values.size() > 1) {
      Difference& d = Add("collective-count", Text("collective calls", "集合通信调用次数"), kCalls);
      d.good = Describe(good_.calls);
      d.bad = Describe(bad_.calls);
    }
  }

  // Keys are texts without their numbers: what one run says with another address or rank is said by both.
  void Messages(const JobProfile& of, const JobProfile& other, DifferenceKind kind) {
    std::vector<const ProfileMessage*> messages;
    for (const auto& [key, message] : of.messages) {
      if (!other.messages.contains(key)) messages.push_back(&message);
    }
    // In BAD the lines that tell most, in GOOD the first that BAD did not come to.
    std::sort(messages.begin(), messages.end(), [](const ProfileMessage* a, const ProfileMessage* b) {
      return std::tie(a->first.line, a->first.file, a->first.text) <
             std::tie(b->first.line, b->first.file, b->first.text);
    });
    for (const ProfileMessage* m : messages) {
      Difference& d = Add("message", Text("message", "消息"), kind == DifferenceKind::kOnlyBad ? m->weight : 0);
      d.kind = kind;
      if (!m->ranks.empty()) d.who = DescribeRanks(m->ranks, language_);
      d.file = m->first.file;
      d.line = m->first.line;
      d.text = m->first.text;
      d.count = m->count;
    }
  }

  const JobProfile& good_;
  const JobProfile& bad_;
  const KnowledgeBase& kb_;
  Language language_;
  bool zh_;
  JobDiff out_;
};

}  // namespace

JobDiff DiffJobs(const ComparedRun& good, const ComparedRun& bad, const KnowledgeBase& kb, Language language) {
  return Comparison(good, bad, kb, language).Run();
}

}  // namespace ncclwhy

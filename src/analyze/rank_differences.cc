#include "analyze/rank_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyze/place_evidence.h"
#include "analyze/rank_traits.h"

namespace ncclwhy {
namespace {

// Differences that one warning lists for the same ranks.
constexpr size_t kMerged = 3;

// Names of devices differ between hosts that are alike.
constexpr Trait kCompared[] = {Trait::kNcclVersion,
                               Trait::kNetwork,
                               Trait::kBetweenHosts,
                               Trait::kNics,
                               Trait::kGdr,
                               Trait::kInsideHost,
                               Trait::kCudaVersion,
                               Trait::kMnnvl,
                               Trait::kBootstrapInterface,
                               Trait::kBootstrapSubnet,
                               Trait::kChannels,
                               Trait::kNvls,
                               Trait::kDriverVersion};

// Every rank or host has its own value of these.
bool IsPersonal(std::string_view variable) {
  constexpr std::string_view kPersonal[] = {"NCCL_DEBUG_FILE",           "NCCL_DEBUG",           "NCCL_DEBUG_SUBSYS",
                                            "NCCL_TOPO_DUMP_FILE",       "NCCL_GRAPH_DUMP_FILE", "NCCL_HOSTID",
                                            "NCCL_GRAPH_DUMP_FILE_RANK", "NCCL_RAS_ADDR"};
  return std::find(std::begin(kPersonal), std::end(kPersonal), variable) != std::end(kPersonal);
}

// Without a value of at least half of the ranks there is nothing that the others differ from: interface names of a
// mixed fleet.
bool HasNorm(const std::vector<ValueGroup>& groups) {
  size_t total = 0;
  for (const ValueGroup& g : groups) total += g.ranks.size();
  return groups.size() > 1 && groups.back().ranks.size() * 2 >= total;
}

class Finder {
 public:
  Finder(const JobModel& model, Language language) : model_(model), language_(language) {}

  std::vector<RankDifference> Run() {
    SameGpu();
    Traits();
    Environment();
    return std::move(out_);
  }

 private:
  struct Holder {
    ProcessId process;
    std::string value;
    Place place;
  };

  void Compare(std::string id, std::string name, std::string label, const std::vector<Holder>& holders) {
    std::map<std::string, ValueGroup> by_value;
    std::map<std::string, Place> places;
    for (const Holder& h : holders) {
      ValueGroup& g = by_value[h.value];
      g.value = h.value;
      g.ranks.push_back(RefOf(model_.processes[h.process.value]));
      if (h.place.line > 0) places.try_emplace(h.value, h.place);
    }
    if (by_value.size() < 2) return;
    RankDifference d{std::move(id), std::move(name), std::move(label), {}, {}};
    for (auto& [value, group] : by_value) d.groups.push_back(std::move(group));
    SortMinorityFirst(&d.groups);
    if (!HasNorm(d.groups)) return;
    for (const ValueGroup& g : d.groups) {
      if (d.place.line > 0) break;
      if (const auto it = places.find(g.value); it != places.end()) d.place = it->second;
    }
    out_.push_back(std::move(d));
  }

  void Traits() {
    const std::vector<RankTraits> traits = ReadRankTraits(model_);
    bool interface_differs = false;
    for (const Trait trait : kCompared) {
      if (trait == Trait::kBootstrapSubnet && interface_differs) continue;
      std::vector<Holder> holders;
      for (const RankTraits& r : traits) {
        const auto it = r.values.find(trait);
        if (it != r.values.end()) holders.push_back({r.process, it->second.text, it->second.place});
      }
      const size_t before = out_.size();
      Compare(fmt::format("ranks.{}", TraitName(trait)), std::string(TraitName(trait)),
              std::string(TraitLabel(trait, language_)), holders);
      if (trait == Trait::kBootstrapInterface) interface_differs = out_.size() > before;
    }
  }

  // That a variable is not echoed proves something only where others are, and where the rank came far enough to have
  // read it. By process.
  std::vector<bool> WouldEcho() const {
    std::vector<bool> would(model_.processes.size());
    for (const Communicator& c : model_.communicators) {
      for (const Rank& r : c.ranks) {
        if (r.process.valid() && r.reached >= Stage::kReady) would[r.process.value] = true;
      }
    }
    for (const Process& p : model_.processes) {
      if (p.environment.empty()) would[p.id.value] = false;
    }
    return would;
  }

  void Environment() {
    std::set<std::string_view> names;
    const std::vector<bool> echoes = WouldEcho();
    for (const Process& p : model_.processes) {
      for (const auto& [name, entry] : p.environment) names.insert(name);
    }
    const std::string not_set = language_ == Language::kChinese ? "未设置" : "not set";
    for (const std::string_view name : names) {
      if (IsPersonal(name)) continue;
      std::vector<Holder> holders;
      for (const Process& p : model_.processes) {
        const auto it = p.environment.find(name);
        if (it != p.environment.end()) {
          holders.push_back({p.id, std::string(it->second.first), it->second.second});
        } else if (echoes[p.id.value]) {
          holders.push_back({p.id, not_set, {}});
        }
      }
      Compare("ranks.environment", std::string(name), std::string(name), holders);
    }
  }

  // Two ranks of one communicator on one GPU.
  void SameGpu() {
    for (const Communicator& c : model_.communicators) {
      std::map<std::pair<std::string_view, std::string_view>, std::vector<const Rank*>> by_gpu;
      for (const Rank& r : c.ranks) {
        if (r.seen && !r.host.empty() && !r.bus_id.empty()) by_gpu[{r.host, r.bus_id}].push_back(&r);
      }
      for (const auto& [gpu, ranks] : by_gpu) {
        std::set<int32_t> distinct;
        for (const Rank* r : ranks) distinct.insert(r->rank);
        if (distinct.size() < 2) continue;
        RankDifference d;
        d.id = "ranks.same-gpu";
        d.name = std::string(gpu.second);
        d.label = language_ == Language::kChinese ? fmt::format("同一块 GPU {}", gpu.second)
                                                  : fmt::format("the same GPU {}", gpu.second);
        ValueGroup g{std::string(gpu.second), {}};
        for (const Rank* r : ranks) g.ranks.push_back({r->rank, std::string(r->host), -1});
        d.groups.push_back(std::move(g));
        d.place = ranks.back()->init_start.line > 0 ? ranks.back()->init_start : ranks.back()->init_complete;
        out_.push_back(std::move(d));
        if (out_.size() >= kRankDifferences) return;
      }
    }
  }

  const JobModel& model_;
  Language language_;
  std::vector<RankDifference> out_;
};

// The cause that says the same when it is named.
std::vector<std::string_view> CausesOf(const RankDifference& d) {
  if (d.id == "ranks.nccl-version") return {"version.nccl-mismatch"};
  if (d.id == "ranks.same-gpu") return {"gpu.duplicate", "gpu.device-not-set"};
  if (d.id == "ranks.environment") return {"env.differs-across-ranks"};
  if (d.id == "ranks.bootstrap-interface" || d.id == "ranks.bootstrap-subnet") return {"net.wrong-interface"};
  if (d.id == "ranks.network" || d.id == "ranks.nics" || d.id == "ranks.between-hosts") {
    return {"net.transport-mismatch", "ib.no-device"};
  }
  return {};
}

bool SaysAlready(const Report& report, const RankDifference& d) {
  const std::vector<std::string_view> causes = CausesOf(d);
  const auto is_one = [&](const std::string& id) {
    return std::find(causes.begin(), causes.end(), id) != causes.end();
  };
  const bool environment = d.id == "ranks.environment";
  if (!report.causes.empty() && is_one(report.causes.front().id)) {
    if (!environment || report.causes.front().summary.find(d.name) != std::string::npos) return true;
  }
  return std::any_of(report.warnings.begin(), report.warnings.end(), [&](const Warning& w) {
    return is_one(w.id) && (!environment || w.text.starts_with(d.name + " "));
  });
}

// Equal for differences in which the same ranks stand against the same ranks.
std::vector<std::vector<RankRef>> Partition(const RankDifference& d) {
  std::vector<std::vector<RankRef>> parts;
  for (const ValueGroup& g : d.groups) parts.push_back(g.ranks);
  return parts;
}

// "network IB, network devices 2 IB" of one group over several differences.
ValueGroup Merged(const std::vector<const RankDifference*>& differences, size_t group) {
  ValueGroup out{"", differences.front()->groups[group].ranks};
  for (const RankDifference* d : differences) {
    out.value += fmt::format("{}{} {}", out.value.empty() ? "" : ", ", d->label, d->groups[group].value);
  }
  return out;
}

std::string TextOf(const std::vector<const RankDifference*>& same, size_t left_out, Language language) {
  const bool zh = language == Language::kChinese;
  const RankDifference& first = *same.front();
  if (first.id == "ranks.same-gpu") {
    return zh ? fmt::format("{} 使用{}", DescribeRanks(first.groups[0].ranks, language), first.label)
              : fmt::format("{} use {}", DescribeRanks(first.groups[0].ranks, language), first.label);
  }
  if (same.size() == 1) {
    const std::string groups = DescribeGroups(first.groups, language);
    return zh ? fmt::format("各 rank 的 {} 不一致：{}", first.label, groups)
              : fmt::format("{} differs between ranks: {}", first.label, groups);
  }
  std::vector<ValueGroup> groups;
  for (size_t i = 0; i < first.groups.size(); ++i) groups.push_back(Merged(same, i));
  std::string text = (zh ? "各 rank 不一致：" : "ranks differ: ") + DescribeGroups(groups, language);
  if (left_out > 0) text += zh ? fmt::format("；另有 {} 项", left_out) : fmt::format("; and {} more", left_out);
  return text;
}

}  // namespace

std::vector<RankDifference> FindRankDifferences(const JobModel& model, Language language) {
  return Finder(model, language).Run();
}

void AddRankDifferences(const JobModel& model, Language language, Report* report) {
  std::vector<RankDifference> all = FindRankDifferences(model, language);
  std::erase_if(all, [&](const RankDifference& d) { return SaysAlready(*report, d); });
  std::vector<bool> done(all.size());
  size_t added = 0;
  for (size_t i = 0; i < all.size() && added < kRankDifferences; ++i) {
    if (done[i]) continue;
    std::vector<const RankDifference*> same = {&all[i]};
    size_t left_out = 0;
    for (size_t j = i + 1; j < all.size() && all[i].groups.size() > 1; ++j) {
      if (done[j] || Partition(all[j]) != Partition(all[i])) continue;
      done[j] = true;
      if (same.size() < kMerged) {
        same.push_back(&all[j]);
      } else {
        ++left_out;
      }
    }
    Warning w;
    w.id = all[i].id;
    w.text = TextOf(same, left_out, language);
    for (const RankDifference* d : same) {
      if (d->place.line != 0) w.evidence.push_back(PlaceEvidence(model, d->place, "direct"));
    }
    report->warnings.push_back(std::move(w));
    ++added;
  }
}

}  // namespace ncclwhy

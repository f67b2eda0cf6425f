#include "analyze/rank_differences.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyze/rank_traits.h"

namespace ncclwhy {
namespace {

// Two ranks on one GPU: a job that does it everywhere is told so a few times.
constexpr size_t kSharedGpus = 10;

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

class Finder {
 public:
  explicit Finder(const JobModel& model) : model_(model) {}

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

  void Compare(std::string_view kind, std::string_view name, const std::vector<Holder>& holders) {
    std::map<std::string, ValueGroup> by_value;
    std::map<std::string, Place> places;
    for (const Holder& h : holders) {
      ValueGroup& g = by_value[h.value];
      g.value = h.value;
      g.ranks.push_back(RefOf(model_.processes[h.process.value]));
      if (h.place.line > 0) places.try_emplace(h.value, h.place);
    }
    if (by_value.size() < 2) return;
    RankDifference d{kind, std::string(name), {}, false, {}};
    for (auto& [value, group] : by_value) d.groups.push_back(std::move(group));
    SortMinorityFirst(&d.groups);
    for (const ValueGroup& g : d.groups) {
      if (d.place.line > 0) break;
      if (const auto it = places.find(g.value); it != places.end()) d.place = it->second;
    }
    out_.push_back(std::move(d));
  }

  void Traits() {
    const std::vector<RankTraits> traits = ReadRankTraits(model_);
    for (const Trait trait : kCompared) {
      std::vector<Holder> holders;
      for (const RankTraits& r : traits) {
        const auto it = r.values.find(trait);
        if (it != r.values.end()) holders.push_back({r.process, it->second.text, it->second.place});
      }
      Compare("trait", TraitName(trait), holders);
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
    for (const std::string_view name : names) {
      std::vector<Holder> holders;
      for (const Process& p : model_.processes) {
        const auto it = p.environment.find(name);
        if (it != p.environment.end()) {
          holders.push_back({p.id, std::string(it->second.first), it->second.second});
        } else if (echoes[p.id.value]) {
          holders.push_back({p.id, "", {}});
        }
      }
      Compare("variable", name, holders);
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
        d.kind = "gpu";
        d.name = std::string(gpu.second);
        ValueGroup g{std::string(gpu.second), {}};
        for (const Rank* r : ranks) g.ranks.push_back({r->rank, std::string(r->host), -1});
        d.groups.push_back(std::move(g));
        d.place = ranks.back()->init_start.line > 0 ? ranks.back()->init_start : ranks.back()->init_complete;
        out_.push_back(std::move(d));
        if (out_.size() >= kSharedGpus) return;
      }
    }
  }

  const JobModel& model_;
  std::vector<RankDifference> out_;
};

}  // namespace

std::vector<RankDifference> FindRankDifferences(const JobModel& model) { return Finder(model).Run(); }

}  // namespace ncclwhy

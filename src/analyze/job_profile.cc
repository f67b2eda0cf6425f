#include "analyze/job_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analyze/rank_differences.h"
#include "analyze/rank_traits.h"
#include "base/text.h"

namespace ncclwhy {
namespace {

// Distinct messages of a run that are compared, and ranks that are named with one.
constexpr size_t kMessages = 20000;
constexpr size_t kRanksOfMessage = 4096;

int WeightOf(MessageMeaning meaning, std::string_view level) {
  const int warn = level == "WARN" ? 10 : 0;
  switch (meaning) {
    case MessageMeaning::kRoot:
      return 80 + warn;
    case MessageMeaning::kSymptom:
      return 60 + warn;
    case MessageMeaning::kSecondary:
      return 40 + warn;
    case MessageMeaning::kContext:
      return 10 + warn;
    case MessageMeaning::kBenign:
    case MessageMeaning::kNever:
      break;
  }
  return 5;
}

// Of a line that is not in the catalogue; 0: not worth comparing.
int WeightOf(const Event& e) {
  switch (e.kind) {
    case EventKind::kKernelXid:
    case EventKind::kKernelOom:
    case EventKind::kSignal:
      return 90;
    case EventKind::kPythonException:
    case EventKind::kTorchElastic:
      return 75;
    case EventKind::kWarning:
    case EventKind::kKernel:
    case EventKind::kSlurm:
    case EventKind::kMpi:
    case EventKind::kKubernetes:
      return 70;
    case EventKind::kTorchError:
    case EventKind::kTorchWatchdog:
    case EventKind::kTorchLastError:
      return 55;
    case EventKind::kApplication:
    case EventKind::kFramework:
      return 45;
    case EventKind::kUnrecognised:
      return 20;
    case EventKind::kTorch:
      return 15;
    default:
      return 0;
  }
}

// Gathers over all processes; what only one run has is then found by comparing two profiles (job_diff.h).
class Profiler {
 public:
  Profiler(const JobModel& model, const std::vector<SourceDigest>& digests, const KnowledgeBase& kb)
      : model_(model), digests_(digests), kb_(kb) {}

  JobProfile Run() {
    out_.hosts = static_cast<int64_t>(model_.hosts.size());
    Level();
    Traits();
    Environment();
    Progress();
    SharedGpus();
    for (uint32_t s = 0; s < digests_.size(); ++s) {
      CatalogueMessages(s);
      OtherMessages(s);
    }
    return std::move(out_);
  }

 private:
  // A run without INFO lines lacks messages because nobody asked for them; who compares has to know.
  void Level() {
    bool information = false;
    bool warnings = false;
    bool calls = false;
    bool version = false;
    for (const SourceFacts* source : model_.sources) {
      calls |= !source->collectives.empty();
      for (const Event& e : source->events) {
        information |= e.level == LogLevel::kInfo;
        warnings |= e.level == LogLevel::kWarn;
        version |= e.kind == EventKind::kVersion;
      }
    }
    // `NCCL version 2.28.9+cuda13.0` alone: nothing went wrong that WARN would have told.
    out_.level = calls         ? "INFO, with COLL"
                 : information ? "INFO"
                 : warnings    ? "WARN"
                 : version     ? std::string(kWarnOrVersion)
                               : "";
  }

  LineAt At(const Place& p) const {
    if (p.line == 0 || !p.source.valid()) return {};
    return {model_.sources[p.source.value]->name, p.line, std::string(p.text)};
  }

  // The first line that says a value is kept with it.
  void Put(Spread* spread, const std::string& value, RankRef who, const Place& place) {
    spread->values[value].push_back(std::move(who));
    if (place.line > 0) spread->places.try_emplace(value, At(place));
  }

  // By the stable name of the trait: "nccl-version".
  void Traits() {
    for (const RankTraits& r : ReadRankTraits(model_)) {
      for (const auto& [trait, value] : r.values) {
        Put(&out_.traits[std::string(TraitName(trait))], value.text, RefOf(model_.processes[r.process.value]),
            value.place);
      }
    }
  }

  // As processes echo them (`NCCL_IB_HCA set by environment to mlx5_0`); without echoes nothing is known of any.
  void Environment() {
    for (const Process& p : model_.processes) {
      for (const auto& [name, entry] : p.environment) {
        out_.echoes = true;
        Put(&out_.environment[std::string(name)], std::string(entry.first), RefOf(p), entry.second);
      }
    }
  }

  static std::string StageText(const Rank& r) {
    if (!r.seen) return "no log";
    // Whether calls are logged depends on NCCL_DEBUG_SUBSYS.
    std::string text(StageName(r.reached == Stage::kRunning ? Stage::kReady : r.reached));
    if (r.aborted) text += ", aborted";
    if (r.destroyed) text += ", destroyed";
    return text;
  }

  // How far ranks came, who is missing, who is there twice: of the largest communicator.
  void Progress() {
    for (const Communicator& c : model_.communicators) {
      for (const Rank& r : c.ranks) out_.ready |= r.reached >= Stage::kReady;
    }
    if (!model_.largest.valid()) return;
    const Communicator& c = model_.communicators[model_.largest.value];
    out_.nranks = c.nranks;
    const Rank* before = nullptr;
    for (const Rank& r : c.ranks) {
      const RankRef who{r.rank, std::string(r.host), -1};
      Put(&out_.stage, StageText(r), who, r.last);
      if (!r.seen) out_.silent.push_back(who);
      if (r.collectives >= 0) Put(&out_.calls, std::to_string(r.collectives), who, {});
      if (before != nullptr && before->seen && r.seen && before->rank == r.rank && r.rank >= 0) {
        out_.twice.push_back({r.rank, std::string(before->host), -1});
        out_.twice.push_back({r.rank, std::string(r.host), -1});
      }
      before = &r;
    }
    if (c.divergence.found) SetDivergence(c);
  }

  // The call that the minority made, against the one that the others did: "AllGather count 8 != AllReduce count 8".
  void SetDivergence(const Communicator& c) {
    const Divergence& d = c.divergence;
    out_.divergence = d.found_instead.empty() ? d.kind : d.found_instead;
    if (!d.expected.empty()) out_.divergence += fmt::format(" != {}", d.expected);
    for (const auto& [rank, line] : d.lines) {
      if (std::find(d.minority.begin(), d.minority.end(), rank) == d.minority.end()) continue;
      for (const Rank& r : c.ranks) {
        if (r.rank == rank && r.last.source.valid()) {
          out_.divergence_at = {model_.sources[r.last.source.value]->name, line, {}};
        }
      }
      break;
    }
  }

  // In English: it is compared, not shown.
  void SharedGpus() {
    for (const RankDifference& d : FindRankDifferences(model_)) {
      if (d.kind == "gpu") out_.shared_gpus.push_back(DescribeRanks(d.groups[0].ranks, Language::kEnglish));
    }
  }

  // Null for a message that is new where kMessages are known.
  ProfileMessage* MessageOrNull(const std::string& key) {
    if (out_.messages.size() >= kMessages && !out_.messages.contains(key)) return nullptr;
    return &out_.messages[key];
  }

  // A rank that prints a message many times in a row is named once; the list may still have it twice.
  void AddRank(ProfileMessage* m, ProcessId process) const {
    if (!process.valid() || m->ranks.size() >= kRanksOfMessage) return;
    const RankRef who = RefOf(model_.processes[process.value]);
    if (m->ranks.empty() || m->ranks.back() != who) m->ranks.push_back(who);
  }

  // By number: how often and where first is known for all of them, who printed it only for those that are kept.
  void CatalogueMessages(uint32_t s) {
    const SourceDigest& digest = digests_[s];
    for (const auto& [number, seen] : digest.messages) {
      ProfileMessage* m = MessageOrNull(fmt::format("message {}", number));
      if (m == nullptr) continue;  // the list is full: what is in it is still counted
      if (m->count == 0) {
        const MessageKnowledge known = kb_.Message(number, {}, Language::kEnglish);
        m->weight = WeightOf(known.meaning, known.level);
        m->first = {digest.facts.name, seen.line, std::string(digest.facts.Str(seen.text))};
      }
      m->count += seen.count;
      AddRank(m, model_.ProcessOf(SourceId{s}, seen.process, -1));
    }
    for (const CatalogHit& hit : digest.catalog) {
      const auto it = out_.messages.find(fmt::format("message {}", hit.message));
      if (it != out_.messages.end())
        AddRank(&it->second, model_.ProcessOf(SourceId{s}, hit.process, hit.launcher_rank));
    }
  }

  // What no entry knows, by its text without what differs between any two runs.
  void OtherMessages(uint32_t s) {
    const SourceFacts& f = digests_[s].facts;
    for (const Event& e : f.events) {
      const int weight = WeightOf(e);
      if (weight == 0) continue;
      const std::string_view text = f.Str(e.text);
      if (e.kind == EventKind::kWarning && kb_.Recognize(e.level, text) >= 0) continue;
      ProfileMessage* m = MessageOrNull(NormaliseText(text, model_.hosts));
      if (m == nullptr) continue;
      if (m->count++ == 0) m->first = {f.name, e.line, std::string(text)};
      m->weight = std::max(m->weight, weight);
      AddRank(m, model_.ProcessOf(SourceId{s}, e.process, e.launcher_rank));
    }
  }

  const JobModel& model_;
  const std::vector<SourceDigest>& digests_;
  const KnowledgeBase& kb_;
  JobProfile out_;
};

}  // namespace

// Words of letters, digits, `_` and `-`: `node3` is a host or has a digit, `mlx5_0` has a digit. A host may have
// points: `node3.cluster.local`.
std::string NormaliseText(std::string_view text, const std::vector<std::string>& hosts) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (!IsWordChar(text[at])) {
      out.push_back(text[at++]);
      continue;
    }
    size_t end = at;
    bool digit = false;
    while (end < text.size() && (IsWordChar(text[end]) || text[end] == '-')) digit |= IsDigit(text[end++]);
    std::string_view word = text.substr(at, end - at);
    auto host = std::find(hosts.begin(), hosts.end(), word);
    size_t whole = end;
    while (whole + 1 < text.size() &&
           (IsWordChar(text[whole]) || text[whole] == '-' || (text[whole] == '.' && IsWordChar(text[whole + 1])))) {
      ++whole;
    }
    if (whole > end && host == hosts.end()) {
      if (whole + 1 == text.size() && IsWordChar(text[whole])) ++whole;
      host = std::find(hosts.begin(), hosts.end(), text.substr(at, whole - at));
      if (host != hosts.end()) end = whole;
    }
    if (host != hosts.end()) {
      out += fmt::format("host-{}", host - hosts.begin() + 1);
    } else if (digit) {
      out += '#';
    } else {
      out += word;
    }
    at = end;
  }
  return out;
}

JobProfile ProfileOf(const JobModel& model, const std::vector<SourceDigest>& digests, const KnowledgeBase& kb) {
  return Profiler(model, digests, kb).Run();
}

}  // namespace ncclwhy

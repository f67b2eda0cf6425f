#include "rules/engine/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "base/time_budget.h"
#include "job/rank_in_file_name.h"
#include "job/rank_in_text.h"
#include "rules/engine/folded.h"
#include "rules/engine/hit_index.h"
#include "rules/engine/last_resorts.h"
#include "rules/engine/one_host.h"
#include "rules/engine/query_needs.h"
#include "rules/engine/query_rows.h"
#include "rules/engine/vocabulary.h"
#include "rules/engine/which_end.h"

namespace ncclwhy {
namespace {

// Those of some 4,000 ranks (" 4095 "): with more, a silent one is not found by who complains (silent_rank.cc).
constexpr size_t kWaitingRanksText = 6 * 4096;

// What makes two hits of one rule the same finding: the process, or as much as is known of it.
using FoldKey = std::tuple<uint32_t, uint32_t, int32_t, std::string, std::string, std::string>;

class Resolver {
 public:
  Resolver(const RuleList& rules, const PatternTable& patterns, const JobModel& model,
           std::span<const SourceHits* const> hits)
      : rules_(rules), patterns_(patterns), model_(model), index_(model, hits) {
    versions_.resize(model.processes.size(), -1);
    for (size_t i = 0; i < model.processes.size(); ++i) {
      if (const int32_t version = VersionCode(model.processes[i].nccl_version); version != 0) {
        job_versions_.push_back(versions_[i] = version);
      }
    }
  }

  // The rules of which a pattern matched, in their order.
  std::vector<uint32_t> RulesHit() const {
    const PatternNumbers& numbers = patterns_.numbers();
    std::vector<uint32_t> rules;
    for (const uint32_t number : index_.Patterns()) {
      if (number >= numbers.size()) continue;  // of a digest that other rules made
      const PatternEntry& entry = patterns_.entry(number);
      if (entry.condition == nullptr && (rules.empty() || rules.back() != entry.rule)) rules.push_back(entry.rule);
    }
    return rules;
  }

  void Pattern(uint32_t rule_number, std::vector<Finding>* out) {
    const Rule& rule = rules_[rule_number];
    std::vector<const PlacedHit*> hits;
    for (uint32_t i = 0; i < rule.patterns.size(); ++i) {
      for (const PlacedHit& placed : index_.OfPattern(patterns_.numbers().first[rule_number] + i))
        hits.push_back(&placed);
    }
    std::stable_sort(hits.begin(), hits.end(), [](const PlacedHit* a, const PlacedHit* b) {
      return std::tie(a->where.source, a->where.line, a->hit->offset) <
             std::tie(b->where.source, b->where.line, b->hit->offset);
    });
    Folder folder(*this, rule_number);
    for (const PlacedHit* placed : hits) folder.Add(*placed);
    folder.Finish(out);
  }

  void Query(uint32_t rule_number, const QueryRunner& query, std::vector<Finding>* out,
             std::vector<std::string>* problems) {
    const Rule& rule = rules_[rule_number];
    if (!query) return;
    const auto problem = [&](std::string_view what) {
      if (problems != nullptr) problems->push_back(fmt::format("rule {}: {}", rule.id, what));
    };
    const auto rows = query(rule.query);
    if (!rows.ok()) {
      problem(rows.status().message());
      return;
    }
    Folder folder(*this, rule_number);
    std::string bad_column;
    for (const QueryRow& row : rows.value()) {
      QueryHit hit = ReadQueryRow(row, model_, &bad_column);
      hit.where.host = hit.host;
      folder.Add(hit);
    }
    if (!bad_column.empty()) problem(bad_column);
    folder.Finish(out);
  }

 private:
  // Collects the findings of one rule.
  class Folder {
   public:
    Folder(Resolver& resolver, uint32_t rule_number)
        : r_(resolver), rule_number_(rule_number), rule_(resolver.rules_[rule_number]), ends_(rule_) {}

    void Add(const PlacedHit& placed) {
      if (placed.hit->text.valid()) worded_[{placed.where.source.value, placed.hit->process}] = placed.hit;
      AddHit(placed);
    }

    void AddHit(const PlacedHit& placed) {
      if (!r_.VersionFits(rule_, placed.where.process) || !Holds(placed.where)) return;
      const Where& where = placed.where;
      const bool anonymous = !where.process.valid();
      const bool waits = rule_.sign.life == Life::kWaiting && rule_.sign.of != SignOf::kJob;
      const bool latest = rule_.sign.life == Life::kSaved || rule_.sign.life == Life::kProgress;
      //    [Rank 17] Watchdog caught collective operation timeout …     of rank 17, whoever's stream it stands in
      const int32_t said = waits ? RankInText(r_.index_.Text(placed)) : -1;
      const FoldKey key{where.process.value,
                        anonymous ? where.source.value : 0,
                        said >= 0   ? said
                        : anonymous ? where.rank
                                    : -1,
                        anonymous ? std::string(where.host) : "",
                        "",
                        ends_.Of(placed, r_.index_)};
      // The place of the latest of many hits, which has no text: it goes to what they began.
      const bool bare =
          !placed.hit->text.valid() && r_.index_.Facts(where.source).strings.bytes() < limits::kPoolBytesPerSource;
      if (bare && !by_key_.contains(key) && (AddToLatest(placed) || AddInWordsOfEarlier(placed))) return;
      Folded& folded = Get(where, key);
      Finding& f = folded.finding;
      // How far it came is what the latest line says.
      if (latest && f.line != 0 && placed.hit->text.valid()) {
        f.line = 0;
        f.fields.clear();
        ++f.repeats;
      }
      if (folded.SaysMore(where.source, where.line, *placed.hit)) {
        f.line = 0;
        ++f.repeats;
      }
      if (f.line == 0) {
        folded.captures = placed.hit->captures.size();
        folded.pattern = placed.hit->pattern;
        f.source = where.source;
        f.line = where.line;
        f.offset = placed.hit->offset;
        f.device = placed.hit->device;
        f.text = std::string(r_.index_.Text(placed));
        if (placed.hit->time.valid()) f.time = std::string(r_.index_.Facts(where.source).Str(placed.hit->time));
        f.anybodys = placed.hit->level == LogLevel::kNone;
        f.in_passing = placed.hit->level == LogLevel::kInfo;
        f.inferred = NamesNobody(placed);
      } else if (!folded.Counted(where.source, where.line)) {
        ++f.repeats;
      }
      // Another pattern of the rule that hits the same line counts the same further ones.
      if (!folded.Counted(where.source, where.line)) f.repeats += placed.hit->repeats;
      folded.counted = {where.source, where.line};
      if (f.source == where.source && where.line > f.last_line) f.Last(where.line, r_.index_.Text(placed));
      Captures(placed, &f);
      if (waits) NoteWaiting(placed, said, &f);
      if (waits) folded.listed.Note(r_.index_.Capture(placed, "culprit_rank"), r_.index_.Capture(placed, "text"));
      if (said >= 0) f.rank = said;
      Conditions(where, &folded);
    }

    // Neither a header nor a label stands in front of the line.
    bool NamesNobody(const PlacedHit& placed) const {
      if (placed.hit->launcher_rank >= 0) return false;
      const auto& processes = r_.index_.Facts(placed.where.source).processes;
      if (placed.hit->process >= processes.size()) return true;
      const ProcessFacts& p = processes[placed.hit->process];
      return p.by_stream && p.launcher_rank < 0 && !p.pod.valid();
    }

    void Add(const QueryHit& hit) {
      if (!r_.VersionFits(rule_, hit.where.process) || !Holds(hit.where)) return;
      const Where& where = hit.where;
      std::string culprit_rank;
      std::string culprit_host = hit.host;
      std::string about;
      for (const auto& [name, value] : hit.fields) {
        if (name == "culprit_rank") culprit_rank = value;
        if (name == "culprit_host") culprit_host = value;
        if (name == "about") about = value;
      }
      const bool anonymous = !where.process.valid();
      Folded& folded = Get(where, {where.process.value, anonymous ? where.source.value : 0, where.rank,
                                   std::move(culprit_rank), std::move(culprit_host), std::move(about)});
      Finding& f = folded.finding;
      const bool first = folded.boosted.empty();
      if (!first) ++f.repeats;
      if (f.line == 0 && where.line != 0) {
        f.source = where.source;
        f.line = where.line;
      }
      if (f.text.empty()) f.text = hit.text;
      for (const auto& [name, value] : hit.fields) f.fields.try_emplace(name, value);
      if (hit.has_causes && first) f.causes = hit.causes;
      Conditions(where, &folded);
    }

    void Finish(std::vector<Finding>* out) {
      for (const size_t position : order_) {
        Folded& folded = folded_[position];
        Finding& f = folded.finding;
        folded.listed.Tell(&f);
        for (size_t i = 0; i < rule_.boost.size(); ++i) {
          if (!folded.boosted[i]) continue;
          for (const Weight& weight : rule_.boost[i].causes) AddWeight(weight, &f.causes);
        }
        for (const auto& [name, value] : rule_.fields) {
          if (std::optional<std::string> text = WithValues(value, f.fields)) f.fields[name.str()] = *std::move(text);
        }
        out->push_back(std::move(f));
      }
    }

   private:
    static void AddWeight(const Weight& weight, std::vector<Weight>* causes) {
      for (Weight& known : *causes) {
        if (known.cause != weight.cause) continue;
        known.log_odds += weight.log_odds;
        return;
      }
      causes->push_back(weight);
    }

    // All of `near`, none of `unless`.
    bool Holds(const Where& where) {
      uint32_t number = r_.patterns_.numbers().first[rule_number_] + static_cast<uint32_t>(rule_.patterns.size());
      near_hits_.clear();
      for (const Condition& condition : rule_.near) {
        const PlacedHit* hit = r_.index_.Find(r_.patterns_.numbers().AskedAs(number++), condition, where);
        if (hit == nullptr) return false;
        near_hits_.push_back(hit);
      }
      for (const Condition& condition : rule_.unless) {
        if (r_.index_.Find(r_.patterns_.numbers().AskedAs(number++), condition, where) != nullptr) return false;
      }
      return true;
    }

    bool AddToLatest(const PlacedHit& placed) {
      const auto same = [&](size_t i) {
        return folded_[i].finding.source == placed.where.source && folded_[i].finding.process == placed.where.process;
      };
      const auto it = std::find_if(order_.rbegin(), order_.rend(), same);
      if (it == order_.rend()) return false;
      Finding& f = folded_[*it].finding;
      f.last_line = std::max(f.last_line, placed.where.line);
      f.repeats += 1 + placed.hit->repeats;
      return true;
    }

    // Only the latest of many has what it must be near to: `init.cc:670 -> 2` behind 300 of the same warning.
    bool AddInWordsOfEarlier(const PlacedHit& placed) {
      const auto earlier = worded_.find({placed.where.source.value, placed.hit->process});
      if (earlier == worded_.end()) return false;
      Hit hit = *earlier->second;
      hit.offset = placed.hit->offset;
      hit.line = placed.hit->line;
      hit.repeats = placed.hit->repeats;
      AddHit(PlacedHit{&hit, placed.where});
      return true;
    }

    Folded& Get(const Where& where, const FoldKey& key) {
      const auto [it, inserted] = by_key_.try_emplace(key, folded_.size());
      if (inserted) {
        order_.push_back(folded_.size());
        Finding finding;
        finding.rule = RuleId{rule_number_};
        finding.role = rule_.role;
        finding.causes = rule_.causes;
        finding.process = where.process;
        finding.rank = where.rank;
        finding.host = std::string(where.host);
        folded_.push_back({std::move(finding), {}, {}});
      }
      return folded_[it->second];
    }

    // The first hit's captures win; later ones fill in what it did not have.
    void Captures(const PlacedHit& placed, Finding* f) const {
      const SourceFacts& facts = r_.index_.Facts(placed.where.source);
      for (const auto& [name, text] : placed.hit->captures) {
        f->fields.try_emplace(std::string(facts.Str(name)), std::string(facts.Str(text)));
      }
    }

    // Who waits is kept, as lines of many ranks fold into one finding where they have no process of their own. What the
    // line says (`said`) comes first, as a file of all ranks may know of one process only.
    void NoteWaiting(const PlacedHit& placed, int32_t said, Finding* f) const {
      int32_t rank = said >= 0 ? said : placed.where.rank >= 0 ? placed.where.rank : placed.hit->launcher_rank;
      if (rank < 0) rank = RankInFileName(r_.index_.Facts(placed.where.source).name);
      if (rank < 0) return;
      std::string& ranks = f->fields[std::string(kWaitingRanks)];
      const std::string word = fmt::format(" {} ", rank);
      if (ranks.size() >= kWaitingRanksText || ranks.find(word) != std::string::npos) return;
      ranks += word;
    }

    // What the conditions add: captures of near and boost lines, and which boosts hold.
    void Conditions(const Where& where, Folded* folded) {
      for (const PlacedHit* near : near_hits_) Captures(*near, &folded->finding);
      folded->boosted.resize(rule_.boost.size() + 1);  // never empty: tells that a hit was folded in
      uint32_t number = r_.patterns_.numbers().first[rule_number_] +
                        static_cast<uint32_t>(rule_.patterns.size() + rule_.near.size() + rule_.unless.size());
      for (size_t i = 0; i < rule_.boost.size(); ++i, ++number) {
        const PlacedHit* hit = folded->boosted[i]
                                   ? nullptr
                                   : r_.index_.Find(r_.patterns_.numbers().AskedAs(number), rule_.boost[i], where);
        if (hit == nullptr) continue;
        folded->boosted[i] = true;
        Captures(*hit, &folded->finding);
      }
    }

    Resolver& r_;
    const uint32_t rule_number_;
    const Rule& rule_;
    std::map<FoldKey, size_t> by_key_;
    WhichEnd ends_;
    std::map<std::pair<uint32_t, uint32_t>, const Hit*> worded_;  // source, process -> the latest with a text
    std::vector<Folded> folded_;
    std::vector<size_t> order_;
    std::vector<const PlacedHit*> near_hits_;
  };

  bool VersionFits(const Rule& rule, ProcessId process) const {
    if (!rule.nccl.limited()) return true;
    const auto fits = [&](int32_t version) { return rule.nccl.Contains(version); };
    if (process.value < versions_.size() && versions_[process.value] >= 0) return fits(versions_[process.value]);
    // Processes without an Init line are taken to have a version that the job has.
    if (job_versions_.empty()) return !rule.needs_version;
    return std::any_of(job_versions_.begin(), job_versions_.end(), fits);
  }

  const RuleList& rules_;
  const PatternTable& patterns_;
  const JobModel& model_;
  HitIndex index_;
  std::vector<int32_t> versions_;  // by process, -1 = unknown
  std::vector<int32_t> job_versions_;
};

// What a launcher's labels stand in front of is the output of all tasks, though one alone may have spoken.
//   0: node1:411:411 [0] NCCL INFO …
size_t ProcessesHeard(const JobModel& model) {
  const bool labelled = std::any_of(model.sources.begin(), model.sources.end(), [](const SourceFacts* source) {
    return std::any_of(source->processes.begin(), source->processes.end(),
                       [](const ProcessFacts& p) { return p.launcher != LauncherLabel::kNone; });
  });
  return std::max<size_t>(model.processes.size(), labelled ? 2 : 0);
}

}  // namespace

std::vector<Finding> ResolveFindings(const RuleList& rules, const PatternTable& patterns, const KnowledgeBase& kb,
                                     const JobModel& model, std::span<const SourceHits* const> hits,
                                     const QueryRunner& query, const FindingSink& publish,
                                     std::vector<std::string>* problems, const ViewNames& views) {
  // An invalid SourceId is the largest, so findings without a line come last.
  const auto before = [](const Finding& a, const Finding& b) {
    return std::tie(a.source, a.line, a.offset, a.rule, a.rank) < std::tie(b.source, b.line, b.offset, b.rule, b.rank);
  };
  std::vector<Finding> findings;
  Resolver resolver(rules, patterns, model, hits);
  for (const uint32_t rule : resolver.RulesHit()) resolver.Pattern(rule, &findings);
  std::stable_sort(findings.begin(), findings.end(), before);
  DropBetweenHosts(rules, model, &findings);
  DropLastResorts(rules, kb, model, &findings);
  if (publish) publish(findings);
  const QueryNeeds needs(rules, model, findings, views);
  std::vector<Finding> answers;
  const size_t processes = ProcessesHeard(model);
  const TimeBudget time(limits::kQueryRulesMilliseconds);
  size_t skipped = 0;
  for (const uint32_t i : patterns.numbers().query_rules) {
    if (processes < rules[i].min_processes || !needs.AreMetFor(rules[i])) continue;
    if (time.Spent()) {
      ++skipped;
      continue;
    }
    resolver.Query(i, query, &answers, problems);
  }
  if (skipped > 0 && problems != nullptr) {
    problems->push_back(fmt::format("{} query rules were left out: those before them took too long", skipped));
  }
  std::stable_sort(answers.begin(), answers.end(), before);
  if (publish) publish(answers);
  const auto middle = static_cast<std::ptrdiff_t>(findings.size());
  std::move(answers.begin(), answers.end(), std::back_inserter(findings));
  std::inplace_merge(findings.begin(), findings.begin() + middle, findings.end(), before);
  return findings;
}

}  // namespace ncclwhy

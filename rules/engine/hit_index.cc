#include "rules/engine/hit_index.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "base/numbers.h"

namespace ncclwhy {
namespace {

// First halves of keys, so that a process and a rank never share one.
enum KeySpace : uint64_t { kProcessKey, kAnonymousKey, kRankKey, kCommKey, kHostKey, kSourceKey, kJobKey };

// Between what announces a traceback and its first line: an empty one, others' lines in the same file.
constexpr uint32_t kInFrontOfTraceback = 2;

constexpr uint64_t Space(KeySpace space, uint64_t value = 0) { return static_cast<uint64_t>(space) << 56 | value; }

}  // namespace

std::string_view ShortHost(std::string_view host) {
  const size_t dot = host.find('.');
  // An address has dots too; its first part names nothing.
  if (dot == std::string_view::npos || (host[0] >= '0' && host[0] <= '9')) return host;
  return host.substr(0, dot);
}

HitIndex::HitIndex(const JobModel& model, std::span<const SourceHits* const> hits)
    : model_(model), communicators_(model.processes.size()) {
  for (const Communicator& communicator : model.communicators) {
    for (const Rank& rank : communicator.ranks) {
      if (rank.process.value < communicators_.size())
        communicators_[rank.process.value].push_back(communicator.id.value);
    }
  }
  // A process of no job has -1.
  for (const Process& p : model.processes) jobs_ = std::max(jobs_, static_cast<uint32_t>(p.job + 1));
  const size_t sources = std::min(hits.size(), model.sources.size());
  for (uint32_t source = 0; source < sources; ++source) {
    if (hits[source] == nullptr) continue;
    for (const Hit& hit : hits[source]->hits) {
      by_pattern_[hit.pattern].push_back({&hit, Place(SourceId{source}, hit)});
    }
  }
}

const std::vector<PlacedHit>& HitIndex::OfPattern(uint32_t pattern) const {
  static const std::vector<PlacedHit> none;
  const auto found = by_pattern_.find(pattern);
  return found != by_pattern_.end() ? found->second : none;
}

std::vector<uint32_t> HitIndex::Patterns() const {
  std::vector<uint32_t> patterns;
  for (const auto& [pattern, hits] : by_pattern_) patterns.push_back(pattern);
  std::sort(patterns.begin(), patterns.end());
  return patterns;
}

Where HitIndex::Place(SourceId source, const Hit& hit) const {
  Where where;
  where.source = source;
  where.line = hit.line;
  where.launcher_rank = hit.launcher_rank;
  where.process = model_.ProcessOf(source, hit.process, hit.launcher_rank);
  // With the source alone, which is all that Capture needs.
  const PlacedHit placed{&hit, where};
  if (where.process.valid()) {
    where.rank = model_.RankOf(where.process);
    where.host = model_.processes[where.process.value].host;
  } else {
    // A watchdog or kernel line without a process says itself who it is.
    //    [rank3]:[E1126 07:16:26.504] [PG 0 Rank 3] Watchdog caught collective operation timeout: …
    const std::string_view rank = Capture(placed, "rank");
    if (std::from_chars(rank.data(), rank.data() + rank.size(), where.rank).ec != std::errc()) where.rank = -1;
    if (where.rank < 0) where.rank = model_.RankOfLabel(source, hit.launcher_rank, &where.host);
  }
  //    srun: error: node07: task 3: Killed
  if (where.host.empty()) where.host = Capture(placed, "host");
  // A label of pdsh in front of the line of nobody in particular: "gpu-a17: Fatal Python error: Segmentation fault".
  const auto& labelled = Facts(source).processes;
  if (where.host.empty() && !where.process.valid() && hit.process < labelled.size()) {
    where.host = Facts(source).Str(labelled[hit.process].host);
  }
  // Of what somebody collected by hand a heading or prompt tells: root@node3:~# dmesg -T | tail
  const auto nobodys = [&](const Process& p) { return p.pid < 0 && p.rank < 0 && p.host.empty(); };
  if (where.host.empty() && where.rank < 0 && hit.launcher_rank < 0 &&
      (!where.process.valid() || nobodys(model_.processes[where.process.value]))) {
    where.host = model_.HostAt(source, hit.line);
  }
  return where;
}

std::string_view HitIndex::Capture(const PlacedHit& placed, std::string_view name) const {
  const SourceFacts& facts = Facts(placed.where.source);
  for (const auto& [id, text] : placed.hit->captures) {
    if (facts.Str(id) == name) return facts.Str(text);
  }
  return {};
}

std::string_view HitIndex::Text(const PlacedHit& placed) const {
  return Facts(placed.where.source).Str(placed.hit->text);
}

std::vector<HitIndex::Key> HitIndex::KeysOf(Scope scope, const Where& where) {
  const Key own = where.process.valid()
                      ? Key{Space(kProcessKey), where.process.value}
                      : Key{Space(kAnonymousKey, where.source.value), static_cast<uint32_t>(where.launcher_rank)};
  // A row of a query that says neither who nor where: near nothing.
  const bool placeless = !where.process.valid() && !where.source.valid();
  switch (scope) {
    case Scope::kLine:
    case Scope::kTraceback:
    case Scope::kSource:
      if (!where.source.valid()) return {};
      return {{Space(kSourceKey), where.source.value}};
    case Scope::kRank:
      // A rank of which the log and the launcher's stream are two processes is one here.
      if (where.rank >= 0) return {{Space(kRankKey), static_cast<uint32_t>(where.rank)}};
      break;
    case Scope::kCommunicator: {
      std::vector<Key> keys;
      if (where.process.value < communicators_.size()) {
        for (const uint32_t id : communicators_[where.process.value]) keys.push_back({Space(kCommKey), id});
      }
      if (!keys.empty()) return keys;
      break;
    }
    case Scope::kHost:
      if (!where.host.empty()) {
        return {
            {Space(kHostKey), host_numbers_.try_emplace(ShortHost(where.host), host_numbers_.size()).first->second}};
      }
      break;
    case Scope::kJob: {
      // What belongs to no job for sure (one job, a kernel's line) belongs to all.
      const int32_t job =
          where.process.value < model_.processes.size() ? model_.processes[where.process.value].job : -1;
      if (job >= 0) return {{Space(kJobKey), static_cast<uint32_t>(job)}};
      std::vector<Key> keys;
      for (uint32_t n = 0; n < jobs_; ++n) keys.push_back({Space(kJobKey), n});
      return keys;
    }
    case Scope::kProcess:
      break;
  }
  if (placeless) return {};
  return {own};
}

const HitIndex::Groups& HitIndex::GroupsOf(uint32_t pattern, Scope scope) {
  const auto [it, inserted] = groups_.try_emplace({pattern, scope});
  if (inserted) {
    for (const PlacedHit& placed : OfPattern(pattern)) {
      for (const Key& key : KeysOf(scope, placed.where)) it->second[key].push_back(&placed);
    }
  }
  return it->second;
}

// 0: the line is no exception, or its traceback is not there.
uint32_t HitIndex::TracebackOf(SourceId source, uint32_t line) {
  const auto [it, inserted] = tracebacks_.try_emplace(source.value);
  if (inserted) {
    const SourceFacts& facts = Facts(source);
    for (const Event& e : facts.events) {
      if (e.kind != EventKind::kPythonException) continue;
      // So many lines before its exception the traceback begins (src/read/passage_reader.h).
      const auto back = ParseInt<uint32_t>(facts.Get(e, FieldId::kTraceback)).value_or(0);
      if (back > 0 && back < e.line) it->second.emplace(e.line, e.line - back);
    }
  }
  const auto found = it->second.find(line);
  return found == it->second.end() ? 0 : found->second;
}

const PlacedHit* HitIndex::Find(uint32_t pattern, const Condition& condition, const Where& where) {
  const bool windowed = condition.within > 0 || condition.scope == Scope::kLine ||
                        condition.scope == Scope::kTraceback || condition.before_only || condition.after_only;
  uint32_t from = 0;
  uint32_t to = UINT32_MAX;
  if (windowed) {
    if (!where.source.valid() || where.line == 0) return nullptr;
    if (condition.within > 0 || condition.scope == Scope::kLine) {
      from = where.line > condition.within ? where.line - condition.within : 0;
      to = where.line <= UINT32_MAX - condition.within ? where.line + condition.within : UINT32_MAX;
    }
    if (condition.scope == Scope::kTraceback) {
      const uint32_t begins = TracebackOf(where.source, where.line);
      if (begins == 0) return nullptr;
      from = begins > kInFrontOfTraceback ? begins - kInFrontOfTraceback : 0;
      to = where.line;
    }
    // Between files there is no before and after: clocks differ and most lines have no time.
    if (condition.before_only) to = where.line - 1;
    if (condition.after_only) from = where.line + 1;
  }
  const Groups& groups = GroupsOf(pattern, condition.scope);
  for (const Key& key : KeysOf(condition.scope, where)) {
    const auto group = groups.find(key);
    if (group == groups.end()) continue;
    // Anywhere in the scope, also in another file.
    if (!windowed) return group->second.front();
    // A group is in the order of source and line, as hits are placed in it.
    const auto begin = std::lower_bound(group->second.begin(), group->second.end(), std::pair(where.source, from),
                                        [](const PlacedHit* placed, const std::pair<SourceId, uint32_t>& at) {
                                          return std::pair(placed->where.source, placed->where.line) < at;
                                        });
    if (begin != group->second.end() && (*begin)->where.source == where.source && (*begin)->where.line <= to) {
      return *begin;
    }
  }
  return nullptr;
}

}  // namespace ncclwhy

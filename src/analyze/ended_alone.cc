#include "analyze/ended_alone.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/numbers.h"

namespace ncclwhy {
namespace {

// What launchers, schedulers and people end a process with; and what ends well.
//   exitcode  : -15 (pid: 6261)      srun: error: gpu01: task 3: Terminated
constexpr std::array<int32_t, 10> kFromOutsideCodes = {0, -2, -9, -15, 130, 137, 143, 255, -1, 241};
constexpr std::array<std::string_view, 9> kFromOutsideSignals = {
    "2", "9", "15", "Killed", "Terminated", "Interrupt", "SIGKILL", "SIGTERM", "SIGINT"};

template <typename List, typename Value>
bool IsOneOf(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// A launcher's line on a worker that ended of its own accord. What a program says of workers that it started itself is
// a stumble, as it may go on.
bool OfItsOwn(const EvidenceItem& i) {
  if (i.rule == nullptr || i.rule->sign.of != SignOf::kNamed || i.survived) return false;
  const Life life = i.rule->sign.life;
  if (life != Life::kEnding && life != Life::kStumble) return false;
  const std::string_view code = i.finding.Field("exit_code");
  const std::string_view signal = i.finding.Field("signal");
  if (!signal.empty()) return !IsOneOf(kFromOutsideSignals, signal);
  if (const auto number = ParseInt<int32_t>(code)) return !IsOneOf(kFromOutsideCodes, *number);
  // "rank      : 2 (local_rank: 2)" is a row of a table that tells who there was, and not how it ended.
  return life == Life::kStumble || i.finding.Field("local_rank").empty();
}

bool Aborted(const EvidenceItem& i) {
  const std::string_view signal = i.finding.Field("signal");
  return signal == "6" || signal == "SIGABRT" || signal == "Aborted" || i.finding.Field("exit_code") == "134" ||
         i.finding.Field("exit_code") == "-6";
}

// A line of a program on a terminal that several share, or of a process of which neither host nor rank is known.
bool Unplaced(const CulpritResolver& resolver, const EvidenceItem& i) {
  const Blame blame = i.rule != nullptr ? i.rule->blame : Blame::kSelf;
  return (blame == Blame::kSelf || blame == Blame::kHost) && i.finding.rank < 0 && i.finding.line > 0 &&
         (!i.finding.process.valid() || resolver.Resolve(i).empty());
}

}  // namespace

void NameEndedAlone(const CulpritResolver& resolver, const std::vector<EvidenceItem>& items,
                    const Hypothesis& hypothesis, bool chinese, CulpritResolver::Candidates* list) {
  if (!list->empty()) return;
  const EvidenceItem* line = nullptr;
  for (const size_t n : hypothesis.evidence) {
    if (items[n].finding.role != Role::kContext && Unplaced(resolver, items[n])) line = &items[n];
  }
  if (line == nullptr) return;
  // Whom an exception ends leaves with an exit code; who aborts is ended by a watchdog of its own.
  //   FileNotFoundError: …      srun: error: n12: tasks 12-15: Exited with exit code 1      srun: error: n11: task 11:
  //   Aborted
  const bool raised = std::any_of(items.begin(), items.end(), [&](const EvidenceItem& i) {
    return i.rule != nullptr && i.rule->sign.how == Ending::kException && i.finding.source == line->finding.source &&
           i.finding.line == line->finding.line;
  });
  CulpritResolver::Candidates ended, aborted;
  for (const EvidenceItem& i : items) {
    if (!OfItsOwn(i)) continue;
    const std::optional<CulpritCandidate> who = resolver.OfEnding(i.finding);
    if (!who) continue;
    // "-- Process 1 terminated with the following error:" has the traceback behind it.
    const bool before = i.finding.source == line->finding.source && i.finding.line < line->finding.line;
    if (before && i.rule->sign.life == Life::kEnding) return;
    (raised && Aborted(i) ? aborted : ended).push_back(*who);
  }
  if (ended.empty()) ended = std::move(aborted);
  if (ended.empty()) return;
  const CulpritCandidate& first = ended.front();
  const bool one_rank = first.rank >= 0 && std::all_of(ended.begin(), ended.end(), [&](const CulpritCandidate& who) {
                          return who.rank == first.rank;
                        });
  const bool one_host =
      !first.host.empty() &&
      std::all_of(ended.begin(), ended.end(), [&](const CulpritCandidate& who) { return who.host == first.host; });
  if (!one_rank && !one_host) return;
  list->push_back(first);
  if (!one_rank) list->back().rank = -1;
  list->back().why = chinese ? "启动器只看到它自行结束" : "by its launcher, only this one failed by itself";
}

}  // namespace ncclwhy

#include "report/within_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "report/words.h"

namespace ncclwhy {
namespace {

// Keeps the first `most` of a list; how many went.
template <typename List>
uint64_t KeepFirst(List* list, size_t most) {
  if (list->size() <= most) return 0;
  const uint64_t gone = list->size() - most;
  list->resize(most);
  return gone;
}

// 1 where there was something.
uint64_t Clear(std::string* text) {
  const uint64_t gone = text->empty() ? 0 : 1;
  text->clear();
  return gone;
}

uint64_t DropContext(Report* report) {
  uint64_t gone = 0;
  for (Cause& cause : report->causes) {
    for (Evidence& e : cause.evidence) gone += KeepFirst(&e.context, 0);
  }
  for (Warning& warning : report->warnings) {
    for (Evidence& e : warning.evidence) gone += KeepFirst(&e.context, 0);
  }
  return gone;
}

// Whom the answer speaks of stays: the picture without the others is still true.
uint64_t DropInnocentRanks(Report* report) {
  uint64_t gone = 0;
  for (ReportCommunicator& comm : report->job.communicators) {
    gone += std::erase_if(comm.ranks, [](const ReportRank& rank) { return !rank.culprit; });
  }
  return gone;
}

template <typename Part>
uint64_t OfCauses(Report* report, Part part) {
  uint64_t gone = 0;
  for (Cause& cause : report->causes) gone += part(&cause);
  return gone;
}

struct Block {
  const char* name;
  uint64_t (*leave_out)(Report* report);
};

// The least telling first.
// A name that comes twice gives up some first and the rest later.
constexpr std::array kBlocks = {
    Block{"edges", [](Report* r) { return KeepFirst(&r->job.edges, 0); }},
    Block{"context", DropContext},
    Block{"ranks", DropInnocentRanks},
    Block{"environment", [](Report* r) { return KeepFirst(&r->job.environment, 0); }},
    Block{"references", [](Report* r) { return OfCauses(r, [](Cause* c) { return KeepFirst(&c->references, 0); }); }},
    Block{"seen_before", [](Report* r) { return KeepFirst(&r->seen_before, 1); }},
    Block{"fixes_elsewhere",
          [](Report* r) { return OfCauses(r, [](Cause* c) { return KeepFirst(&c->fixes_elsewhere, 0); }); }},
    Block{"warnings", [](Report* r) { return KeepFirst(&r->warnings, 0); }},
    Block{"communicators", [](Report* r) { return KeepFirst(&r->job.communicators, 1); }},
    Block{"harmless", [](Report* r) { return KeepFirst(&r->harmless, 0); }},
    Block{"last_words", [](Report* r) { return KeepFirst(&r->last_words, 1); }},
    Block{"mistaken_for", [](Report* r) { return OfCauses(r, [](Cause* c) { return Clear(&c->mistaken_for); }); }},
    Block{"consequences", [](Report* r) { return KeepFirst(&r->consequences, 1); }},
    Block{"other_causes", [](Report* r) { return KeepFirst(&r->causes, 1); }},
    Block{"confirm", [](Report* r) { return OfCauses(r, [](Cause* c) { return KeepFirst(&c->confirm, 0); }); }},
    Block{"clocks", [](Report* r) { return KeepFirst(&r->clocks, 0); }},
    Block{"timeline", [](Report* r) { return KeepFirst(&r->timeline, 0); }},
    Block{"meaning", [](Report* r) { return OfCauses(r, [](Cause* c) { return Clear(&c->meaning); }); }},
    Block{"collect", [](Report* r) { return KeepFirst(&r->collect, 1); }},
    Block{"attempts", [](Report* r) { return KeepFirst(&r->attempts, 0); }},
    Block{"jobs", [](Report* r) { return KeepFirst(&r->jobs, 1); }},
    Block{"fixes", [](Report* r) { return OfCauses(r, [](Cause* c) { return KeepFirst(&c->fixes, 1); }); }},
    Block{"evidence", [](Report* r) { return OfCauses(r, [](Cause* c) { return KeepFirst(&c->evidence, 2); }); }},
    Block{"seen_before", [](Report* r) { return KeepFirst(&r->seen_before, 0); }},
    Block{"outcome_evidence", [](Report* r) { return KeepFirst(&r->outcome_evidence, 1); }},
    Block{"candidates", [](Report* r) { return KeepFirst(&r->candidates, 1); }},
    Block{"culprits", [](Report* r) { return OfCauses(r, [](Cause* c) { return KeepFirst(&c->culprits, 1); }); }},
    Block{"evidence", [](Report* r) { return OfCauses(r, [](Cause* c) { return KeepFirst(&c->evidence, 1); }); }},
    Block{"outcome_evidence", [](Report* r) { return KeepFirst(&r->outcome_evidence, 0); }},
    Block{"communicators", [](Report* r) { return KeepFirst(&r->job.communicators, 0); }},
    Block{"candidates", [](Report* r) { return KeepFirst(&r->candidates, 0); }},
    Block{"collect", [](Report* r) { return KeepFirst(&r->collect, 0); }},
    Block{"sure", [](Report* r) { return OfCauses(r, [](Cause* c) { return Clear(&c->sure); }); }},
    Block{"transports",
          [](Report* r) {
            const uint64_t gone = r->job.transports.size();
            r->job.transports.clear();
            return gone;
          }},
};

// "Left out to fit: timeline 4, warnings 3"
std::string LeftOut(const std::vector<std::pair<std::string, uint64_t>>& gone, const Words& words) {
  if (gone.empty()) return {};
  std::string list;
  for (const auto& [name, count] : gone) list += fmt::format("{}{} {}", list.empty() ? "" : ", ", name, count);
  return fmt::format(fmt::runtime(words.left_out), list) + "\n";
}

}  // namespace

bool TakesBudget(std::string_view format) {
  constexpr std::array<std::string_view, 4> kWithBudget = {"text", "full", "markdown", "json"};
  return std::find(kWithBudget.begin(), kWithBudget.end(), format) != kWithBudget.end();
}

Budgeted RenderWithin(Report report, const Format& format, const RenderOptions& options, size_t budget) {
  std::string bytes = format.render(report, options);
  std::string said;  // what was left out
  std::vector<std::pair<std::string, uint64_t>> gone;
  // The report is rendered anew for each block: what a block saves depends on the format, and on what went before it.
  for (const Block& block : kBlocks) {
    if (bytes.size() + said.size() <= budget) break;
    Report less = report;
    const uint64_t count = block.leave_out(&less);
    std::string shorter = count == 0 ? std::string() : format.render(less, options);
    if (count == 0 || shorter.size() >= bytes.size()) continue;  // this format does not show it
    const auto same = std::find_if(gone.begin(), gone.end(), [&](const auto& g) { return g.first == block.name; });
    if (same == gone.end()) {
      gone.emplace_back(block.name, count);
    } else {
      same->second += count;
    }
    // In JSON it is the notes that tell.
    less.coverage.notes[std::string("left_out_") + block.name] += count;
    report = std::move(less);
    bytes = format.render(report, options);
    if (format.name != "json") {
      said = (format.name == "markdown" ? "\n" : "") + LeftOut(gone, WordsOf(options.language));
    }
  }
  bytes += said;
  const bool fits = bytes.size() <= budget;
  return {std::move(bytes), fits};
}

}  // namespace ncclwhy

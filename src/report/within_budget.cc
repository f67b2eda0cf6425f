#include "report/within_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/escape.h"
#include "report/phrases.h"
#include "report/proof.h"
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
  const char* name;               // in the notes of the JSON
  std::string_view Words::*said;  // what reports call it
  uint64_t (*leave_out)(Report* report);
};

// The least telling first.
// A name that comes twice gives up some first and the rest later.
constexpr std::array kBlocks = {
    Block{"edges", &Words::transports, [](Report* r) { return KeepFirst(&r->job.edges, 0); }},
    Block{"context", &Words::lines_around, DropContext},
    Block{"ranks", &Words::ranks, DropInnocentRanks},
    Block{"environment", &Words::environment, [](Report* r) { return KeepFirst(&r->job.environment, 0); }},
    Block{"references", &Words::references,
          [](Report* r) { return OfCauses(r, [](Cause* c) { return KeepFirst(&c->references, 0); }); }},
    Block{"seen_before", &Words::seen_before, [](Report* r) { return KeepFirst(&r->seen_before, 1); }},
    Block{"fixes_elsewhere", &Words::fixes_elsewhere,
          [](Report* r) { return OfCauses(r, [](Cause* c) { return KeepFirst(&c->fixes_elsewhere, 0); }); }},
    Block{"warnings", &Words::warnings, [](Report* r) { return KeepFirst(&r->warnings, 0); }},
    Block{"communicators", &Words::communicators, [](Report* r) { return KeepFirst(&r->job.communicators, 1); }},
    Block{"harmless", &Words::harmless, [](Report* r) { return KeepFirst(&r->harmless, 0); }},
    Block{"last_words", &Words::ends_with, [](Report* r) { return KeepFirst(&r->last_words, 1); }},
    Block{"mistaken_for", &Words::mistaken_for,
          [](Report* r) { return OfCauses(r, [](Cause* c) { return Clear(&c->mistaken_for); }); }},
    Block{"consequences", &Words::consequences, [](Report* r) { return KeepFirst(&r->consequences, 1); }},
    Block{"other_causes", &Words::alternatives, [](Report* r) { return KeepFirst(&r->causes, 1); }},
    Block{"confirm", &Words::confirm,
          [](Report* r) { return OfCauses(r, [](Cause* c) { return KeepFirst(&c->confirm, 0); }); }},
    Block{"clocks", &Words::clocks, [](Report* r) { return KeepFirst(&r->clocks, 0); }},
    Block{"timeline", &Words::story, [](Report* r) { return KeepFirst(&r->timeline, 0); }},
    Block{"meaning", &Words::meaning,
          [](Report* r) { return OfCauses(r, [](Cause* c) { return Clear(&c->meaning); }); }},
    Block{"collect", &Words::collect, [](Report* r) { return KeepFirst(&r->collect, 1); }},
    Block{"attempts", &Words::earlier_attempt, [](Report* r) { return KeepFirst(&r->attempts, 0); }},
    Block{"jobs", &Words::jobs, [](Report* r) { return KeepFirst(&r->jobs, 1); }},
    Block{"fixes", &Words::fix,
          [](Report* r) { return OfCauses(r, [](Cause* c) { return KeepFirst(&c->fixes, 1); }); }},
    Block{"evidence", &Words::evidence,
          [](Report* r) { return OfCauses(r, [](Cause* c) { return KeepFirst(&c->evidence, 2); }); }},
    Block{"seen_before", &Words::seen_before, [](Report* r) { return KeepFirst(&r->seen_before, 0); }},
    Block{"outcome_evidence", &Words::outcome, [](Report* r) { return KeepFirst(&r->outcome_evidence, 1); }},
    Block{"candidates", &Words::candidates, [](Report* r) { return KeepFirst(&r->candidates, 1); }},
    Block{"culprits", &Words::culprit,
          [](Report* r) { return OfCauses(r, [](Cause* c) { return KeepFirst(&c->culprits, 1); }); }},
    Block{"evidence", &Words::evidence,
          [](Report* r) { return OfCauses(r, [](Cause* c) { return KeepFirst(&c->evidence, 1); }); }},
    Block{"outcome_evidence", &Words::outcome, [](Report* r) { return KeepFirst(&r->outcome_evidence, 0); }},
    Block{"communicators", &Words::communicators, [](Report* r) { return KeepFirst(&r->job.communicators, 0); }},
    Block{"candidates", &Words::candidates, [](Report* r) { return KeepFirst(&r->candidates, 0); }},
    Block{"collect", &Words::collect, [](Report* r) { return KeepFirst(&r->collect, 0); }},
    Block{"sure", &Words::why_sure, [](Report* r) { return OfCauses(r, [](Cause* c) { return Clear(&c->sure); }); }},
    Block{"transports", &Words::transports,
          [](Report* r) {
            const uint64_t gone = r->job.transports.size();
            r->job.transports.clear();
            return gone;
          }},
    // Where no cause is named they are the failing lines.
    Block{"consequences", &Words::consequences,
          [](Report* r) { return r->causes.empty() ? 0 : KeepFirst(&r->consequences, 0); }},
    // The short answer shows the one of these where the other is left out.
    Block{"sure", &Words::why_sure,
          [](Report* r) { return OfCauses(r, [](Cause* c) { return Clear(&c->sure) + Clear(&c->unproven); }); }},
    Block{"confirm", &Words::confirm,
          [](Report* r) {
            return KeepFirst(&r->harmless, 0) + OfCauses(r, [](Cause* c) { return KeepFirst(&c->confirm, 0); });
          }},
};
// What the reader would miss most.
constexpr Block kFirstFix = {"fixes", &Words::fix,
                             [](Report* r) { return OfCauses(r, [](Cause* c) { return KeepFirst(&c->fixes, 0); }); }};

// Of one kind of thing, how many.
using Gone = std::vector<std::pair<std::string_view, uint64_t>>;

void Add(std::string_view name, uint64_t count, Gone* gone) {
  const auto same = std::find_if(gone->begin(), gone->end(), [&](const auto& g) { return g.first == name; });
  same == gone->end() ? gone->emplace_back(name, count), void() : void(same->second += count);
}

// "Left out to fit the budget: What happened when (4), Warnings (3)"
std::string LeftOut(const Gone& gone, const Words& words) {
  if (gone.empty()) return {};
  std::string list;
  for (const auto& [name, count] : gone) {
    list += fmt::format("{}{} ({})", list.empty() ? "" : words.list_separator, name, count);
  }
  return Filled(words.left_out, list) + "\n";
}

// When whole blocks are too long: the summary with the first line that shows the failure, that line alone, the summary.
// The first that fits, or the shortest.
//   failed, failure: shm.too-small (99%), h100-39: /dev/shm on h100-39 is full …
//     job.log:103  Error: failed to extend /dev/shm/nccl-RHFVXF to 9637892 bytes, error: No space left on device (28)
std::string Least(const Report& report, const RenderOptions& options, bool markdown, size_t budget) {
  const Words& words = WordsOf(options.language);
  std::string summary = RenderSummary(report, options);
  std::string line;
  const std::vector<Proof> proofs = ProofOf(report, words, 1);
  if (!proofs.empty()) {
    const Proof& first = proofs.front();
    line = FileLine(first.file, first.line) + "  " + (first.text.empty() ? first.note : first.text);
  }
  if (markdown) {
    summary.pop_back();
    summary = EscapeMarkdown(summary) + "\n\n";
    line = EscapeMarkdown(line);
  } else {
    line = EscapeTerminal(line);
  }
  if (line.empty()) return summary;
  // Indented: CI systems take a line that begins with :: as a command.
  line = "  " + line + "\n";
  const std::string rest = (markdown ? "\n" : "") + std::string(words.left_out_rest) + "\n";
  const std::array<std::string, 4> forms = {summary + line + rest, summary + line, line, summary};
  const auto shorter = [](const std::string& a, const std::string& b) { return a.size() < b.size(); };
  const auto* const fits = std::find_if(forms.begin(), forms.end(), [&](const auto& f) { return f.size() <= budget; });
  return fits != forms.end() ? *fits : *std::min_element(forms.begin(), forms.end(), shorter);
}

}  // namespace

bool TakesBudget(std::string_view format) {
  constexpr std::array<std::string_view, 4> kWithBudget = {"text", "full", "markdown", "json"};
  return std::find(kWithBudget.begin(), kWithBudget.end(), format) != kWithBudget.end();
}

Budgeted RenderWithin(Report report, const Format& format, const RenderOptions& options, size_t budget) {
  std::string bytes = format.render(report, options);
  std::string said;  // what was left out
  const Words& words = WordsOf(options.language);
  Gone gone;
  const auto too_long = [&] { return bytes.size() + said.size() > budget; };
  // The report is rendered anew for each block: what a block saves depends on the format, and on what went before it.
  const auto leave_out = [&](const Block& block) {
    Report less = report;
    const uint64_t count = block.leave_out(&less);
    std::string shorter = count == 0 ? std::string() : format.render(less, options);
    if (count == 0 || shorter.size() >= bytes.size()) return false;  // this format does not show it
    Add(words.*block.said, count, &gone);
    // In JSON it is the notes that tell.
    less.coverage.notes[std::string("left_out_") + block.name] += count;
    report = std::move(less);
    bytes = format.render(report, options);
    if (format.name != "json") {
      said = (format.name == "markdown" ? "\n" : "") + LeftOut(gone, words);
    }
    return true;
  };
  // Again from the beginning: the short answer shows another thing where one is left out, so some save only later.
  const auto leave_out_all = [&] {
    for (bool any = true; any && too_long();) {
      any = false;
      for (const Block& block : kBlocks) any = (too_long() && leave_out(block)) || any;
    }
  };
  leave_out_all();
  if (too_long() && leave_out(kFirstFix)) leave_out_all();
  bytes += said;
  if (bytes.size() > budget && format.name != "json") {
    bytes = Least(report, options, format.name == "markdown", budget);
  }
  const bool fits = bytes.size() <= budget;
  return {std::move(bytes), fits};
}

}  // namespace ncclwhy

// ncclwhy_score FOLDER…: how often the first cause and the culprit are right on labelled incidents.
//
// Modes: whole (as recorded), interleaved (all files in one, in random order), one-missing (one random file left out).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "labelled.h"
#include "ncclwhy/analyzer.h"

namespace {

using namespace ncclwhy;

// What the library answered, or the end of the program.
template <typename T>
T Must(Result<T> result) {
  if (result.ok()) return result.take();
  fmt::print(stderr, "{}\n", result.status().message());
  std::exit(2);
}

Report Run(const Labelled& incident) {
  const std::unique_ptr<Analyzer> analyzer = Must(Analyzer::Create({}));
  for (const auto& [name, bytes] : incident.files) (void)analyzer->Append(name, bytes);
  return Must(analyzer->Finish());
}

bool Names(const std::string& label, const Cause& cause) {
  int rank = -1;
  const bool is_rank = std::sscanf(label.c_str(), "rank %d", &rank) == 1;
  return std::any_of(cause.culprits.begin(), cause.culprits.end(),
                     [&](const Culprit& c) { return is_rank ? c.rank == rank : c.host == label; });
}

bool Contains(const std::vector<std::string>& list, const std::string& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

struct Tally {
  int cases = 0, top1 = 0, top3 = 0, wrong = 0, silent = 0, culprits = 0, culprit_right = 0, healthy = 0, alarms = 0;
};

void Score(const Labelled& incident, bool verbose, Tally& t) {
  const Report r = Run(incident);
  const std::string first = r.causes.empty() ? "" : r.causes[0].id;
  if (incident.healthy()) {
    ++t.healthy;
    if (!first.empty() && !Contains(incident.acceptable, first)) {
      ++t.alarms;
      if (verbose) fmt::print("  false alarm  {:<45} {}\n", incident.name, first);
    }
    return;
  }
  if (!incident.determinable) return;
  ++t.cases;
  const bool hit = Contains(incident.acceptable, first);
  t.top1 += hit;
  t.top3 += std::any_of(r.causes.begin(), r.causes.end(),
                        [&](const Cause& c) { return Contains(incident.acceptable, c.id); });
  t.wrong += Contains(incident.wrong_if_first, first);
  t.silent += first.empty();
  if (!hit && verbose)
    fmt::print("  wrong cause  {:<45} {} instead of {}\n", incident.name, first, incident.root_cause);
  if (!incident.culprit.empty()) {
    ++t.culprits;
    const bool named = !r.causes.empty() && Names(incident.culprit, r.causes[0]);
    t.culprit_right += named;
    if (!named && verbose) {
      std::string who;
      if (!r.causes.empty()) {
        for (const Culprit& c : r.causes[0].culprits) who += fmt::format(" {}@{}", c.rank, c.host);
      }
      fmt::print("  wrong culprit {:<44}{} instead of {}\n", incident.name, who, incident.culprit);
    }
  }
}

double Percent(int part, int whole) { return whole == 0 ? 100.0 : 100.0 * part / whole; }

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Scores ncclwhy on labelled incidents");
  std::vector<std::string> folders;
  std::string mode = "whole";
  double min_top1 = 0, min_culprit = 0;
  int max_alarms = -1;
  uint32_t seed = 1;
  bool quiet = false;
  app.add_option("folder", folders)->required();
  app.add_option("--mode", mode)->check(CLI::IsMember({"whole", "interleaved", "one-missing"}));
  app.add_option("--seed", seed);
  app.add_option("--min-top1", min_top1, "per cent");
  app.add_option("--min-culprit", min_culprit, "per cent");
  app.add_option("--max-alarms", max_alarms);
  app.add_flag("--quiet", quiet);
  CLI11_PARSE(app, argc, argv);
  bool good = true;
  for (const std::string& folder : folders) {
    Tally t;
    for (Labelled& incident : LoadLabelled(folder)) {
      if (mode == "interleaved") Interleave(incident, seed);
      if (mode == "one-missing") DropOneFile(incident, seed);
      Score(incident, !quiet, t);
    }
    if (t.cases + t.healthy == 0) {
      fmt::print(stderr, "{}: no incident found\n", folder);
      return 2;
    }
    fmt::print(
        "{} ({}): cases {}  top1 {:.1f}  top3 {:.1f}  wrong-first {:.1f}  silent {:.1f}  culprit {:.1f} of {}  "
        "healthy {}  alarms {}\n",
        folder, mode, t.cases, Percent(t.top1, t.cases), Percent(t.top3, t.cases), Percent(t.wrong, t.cases),
        Percent(t.silent, t.cases), Percent(t.culprit_right, t.culprits), t.culprits, t.healthy, t.alarms);
    good &= Percent(t.top1, t.cases) >= min_top1 && Percent(t.culprit_right, t.culprits) >= min_culprit;
    good &= max_alarms < 0 || t.alarms <= max_alarms;
  }
  return good ? 0 : 1;
}

// Suspects: hosts, devices, switches and versions with how often they are blamed, and how likely that is by chance.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "history/history.h"
#include "history/history_answer.h"

namespace ncclwhy {

// Jobs of a window.
struct HistoryTotals {
  int64_t jobs = 0;
  int64_t failures = 0;  // verdict failure, degraded or undetermined
  int64_t blaming = 0;   // whose cause names a host
};

struct Suspect {
  std::string name;
  int64_t blamed = 0;  // jobs; of versions: failures with it
  int64_t took_part = 0;
  int64_t hosts = 0;  // of a place: those of it that are blamed
  int64_t first = 0;  // seconds since 1970, of the jobs that blame it
  int64_t last = 0;
  double chance = 1;   // corrected for many
  std::string causes;  // "gpu.ecc 4, ib.retry-exceeded 1"
};

Result<HistoryTotals> TotalsOf(History& history, int64_t since);

// `kind` is host or device. `recurring_only`: without blame of jobs whose decision is fix-first, which would have
// failed on any host.
Result<std::vector<Suspect>> BlamedOnes(History& history, const std::string& kind, const HistoryQuestion& asked,
                                        bool recurring_only);

// Switches, racks and zones (places.h): blamed with any of their hosts. `chance` leaves their most blamed host out, so
// that one bad host makes no bad switch. Of places with the same hosts the first by name. Likeliest first; without
// fix-first, as above.
Result<std::vector<Suspect>> BlamedPlaces(History& history, const HistoryQuestion& asked);

// NCCL's and the driver's versions: more failures than its share of the jobs gives by chance?
Result<std::vector<Suspect>> FailingVersions(History& history, const HistoryQuestion& asked);

// Hosts to take out of service: blamed in asked.least jobs or more, with less than asked.chance, and with a name that
// can be one (letters, digits, `.`, `-`, `_`): others were forged or are containers.
Result<std::vector<Suspect>> HostsToDrain(History& history, const HistoryQuestion& asked);

}  // namespace ncclwhy

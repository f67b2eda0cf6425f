// Fault: one thing that goes wrong, whom it hits and what each rank prints because of it. Modelled on recorded runs of
// the same scenario (samples/).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gen/call.h"
#include "gen/job.h"
#include "gen/printer.h"
#include "gen/startup.h"

namespace ncclwhy::bench {

// What incident.json says.
struct Label {
  std::string root_cause;
  std::vector<std::string> also_acceptable;
  std::string culprit;  // "rank 3 on node07", "node07" or empty
  std::string note;
  bool determinable = true;  // false: the chosen verbosity does not show it
};

// How far a rank gets.
enum class Stage { kAbsent, kNothing, kLoaded, kMet, kTopology, kRunning };

struct Fate {
  Stage reaches = Stage::kRunning;
  uint64_t calls = 0;        // collectives on the world communicator
  bool storm = false;        // Storm() is printed, and repeated, before the end
  int device = -1;           // >= 0: the CUDA device it uses instead of its own
  const Era* era = nullptr;  // not the job's
  Place place;               // nodes == 0: as it is
};

class Fault {
 public:
  explicit Fault(const Job& job) : job_(job) {}
  virtual ~Fault() = default;
  Fault(const Fault&) = delete;
  Fault& operator=(const Fault&) = delete;

  virtual Label MakeLabel() const = 0;
  virtual Fate FateOf(int rank) const;
  // Call number `index` of a rank on the world communicator.
  virtual Call CallOf(int rank, uint64_t index) const;
  // Lines of its own once the rank has loaded the library.
  virtual void OnLoaded(Printer*) const {}
  virtual void Storm(Printer*) const {}
  virtual void AtEnd(Printer*) const {}

 protected:
  const Job& job() const { return job_; }
  uint64_t steps() const { return job_.spec().steps; }
  // The rank or host that the seed chose. Ranks are taken at the border of their host, where the network is.
  int CulpritRank() const;
  int CulpritHost() const;
  std::string RankOnHost(int rank) const;

 private:
  const Job& job_;
};

// One kind as the command line knows it.
struct FaultKind {
  std::string_view name, summary;
  bool infiniband = false;  // needs it
  std::unique_ptr<Fault> (*make)(const Job&) = nullptr;
};
std::vector<FaultKind> FaultKinds();

// Parts of FaultKinds(), by what goes wrong.
std::vector<FaultKind> ProcessFaults();
std::vector<FaultKind> CollectiveFaults();
std::vector<FaultKind> StartupFaults();
std::vector<FaultKind> HostFaults();
std::vector<FaultKind> NetworkFaults();

}  // namespace ncclwhy::bench
